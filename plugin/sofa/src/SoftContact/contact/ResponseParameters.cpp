// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/contact/ResponseParameters.h>
#include <sofa/component/collision/response/contact/CollisionResponse.h>
#include <sofa/core/objectmodel/BaseContext.h>
#include <sofa/helper/DiffLib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <tuple>

namespace softcontact::plugin {

namespace {

using Manager = sofa::component::collision::response::contact::CollisionResponse;

/// What stands after "response?" in a scene's word for a contact response; empty for another response.
std::string parameters_of(const std::string& word, const std::string& response)
{
    const auto mark = word.find('?');
    return mark != std::string::npos && word.substr(0, mark) == response ? word.substr(mark + 1)
                                                                         : std::string();
}

bool is_number(const std::string& text)
{
    if (text == "true" || text == "false") {
        return true;
    }
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0' && std::isfinite(value);
}

bool contains(const std::vector<std::string>& words, const std::string& word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// What is wrong with "name=value&name=value".
std::string complaint(const std::string& parameters, const std::vector<std::string>& known,
                      const std::vector<std::string>& words)
{
    std::istringstream stream(parameters);
    for (std::string part; std::getline(stream, part, '&');) {
        const auto equals = part.find('=');
        const std::string name = part.substr(0, equals);
        if (name.empty()) {
            continue;
        }
        if (!contains(known, name)) {
            std::ostringstream message;
            message << "no parameter '" << name << "'; it knows";
            for (const std::string& word : known) {
                message << ' ' << word;
            }
            const auto near = sofa::helper::getClosestMatch(name, known, 1, SReal(0.4));
            if (!near.empty()) {
                message << "; did you mean '" << std::get<0>(near.front()) << "'?";
            }
            return message.str();
        }
        const std::string value = equals == std::string::npos ? std::string() : part.substr(equals + 1);
        if (!contains(words, name) && !is_number(value)) {
            return name + " is '" + value + "'; it must be a finite number, in SI units and without unit";
        }
    }
    return {};
}

}  // namespace

std::string unknown_parameter(const sofa::core::CollisionModel& model1,
                              const sofa::core::CollisionModel& model2, const std::string& response,
                              const std::vector<std::string>& known, const std::vector<std::string>& words)
{
    std::vector<std::string> texts = {parameters_of(model1.getContactResponse(), response),
                                      parameters_of(model2.getContactResponse(), response)};
    const auto* root = model1.getContext()->getRootContext();
    if (const auto* manager = root->get<Manager>(sofa::core::objectmodel::BaseContext::SearchDown)) {
        if (manager->d_response.getValue().getSelectedItem() == response) {
            texts.push_back(manager->d_responseParams.getValue());
        }
        if (const auto* rules = manager->findData("rules")) {
            std::istringstream stream(rules->getValueString());
            for (std::string rule; stream >> rule;) {
                texts.push_back(parameters_of(rule, response));
            }
        }
    }
    for (const std::string& text : texts) {
        const std::string wrong = complaint(text, known, words);
        if (!wrong.empty()) {
            return wrong;
        }
    }
    return {};
}

}  // namespace softcontact::plugin

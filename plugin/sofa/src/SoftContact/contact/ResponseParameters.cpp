// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/contact/ResponseParameters.h>
#include <sofa/component/collision/response/contact/CollisionResponse.h>
#include <sofa/core/objectmodel/BaseContext.h>
#include <sofa/helper/DiffLib.h>

#include <algorithm>
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

std::string first_unknown(const std::string& parameters, const std::vector<std::string>& known)
{
    std::istringstream stream(parameters);
    for (std::string part; std::getline(stream, part, '&');) {
        const std::string name = part.substr(0, part.find('='));
        if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end()) {
            return name;
        }
    }
    return {};
}

}  // namespace

std::string unknown_parameter(const sofa::core::CollisionModel& model1,
                              const sofa::core::CollisionModel& model2, const std::string& response,
                              const std::vector<std::string>& known)
{
    std::vector<std::string> texts = {parameters_of(model1.getContactResponse(), response),
                                      parameters_of(model2.getContactResponse(), response)};
    const auto* root = model1.getContext()->getRootContext();
    const auto* manager = root->get<Manager>(sofa::core::objectmodel::BaseContext::SearchDown);
    if (manager != nullptr && manager->d_response.getValue().getSelectedItem() == response) {
        texts.push_back(manager->d_responseParams.getValue());
    }
    for (const std::string& text : texts) {
        const std::string name = first_unknown(text, known);
        if (name.empty()) {
            continue;
        }
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
    return {};
}

}  // namespace softcontact::plugin

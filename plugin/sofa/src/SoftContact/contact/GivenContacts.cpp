// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/contact/GivenContacts.h>
#include <sofa/component/constraint/lagrangian/solver/GenericConstraintSolver.h>
#include <sofa/core/behavior/ConstraintSolver.h>

#include <algorithm>
#include <cmath>

namespace softcontact::plugin {

std::string wrong_given_contacts(const GivenContacts& contacts)
{
    const auto count = contacts.indices1.size();
    const auto in_range = [](const sofa::type::vector<sofa::Index>& indices, std::size_t size) {
        return std::all_of(indices.begin(), indices.end(), [&](auto i) { return i < size; });
    };
    if (contacts.indices2.size() != count) {
        return "indices2 has " + std::to_string(contacts.indices2.size()) +
               " points; give as many as indices1 (" + std::to_string(count) + ")";
    }
    if (contacts.normals.size() != 1 && contacts.normals.size() != count) {
        return "normals has " + std::to_string(contacts.normals.size()) +
               " vectors; give one, or one a contact (" + std::to_string(count) + ")";
    }
    if (!std::all_of(contacts.normals.begin(), contacts.normals.end(),
                     [](const auto& n) { return n.norm() > 0 && std::isfinite(n.norm()); })) {
        return "normals holds a vector without a direction; give finite vectors from object1 to object2";
    }
    if (!std::isfinite(contacts.distance)) {
        return "contactDistance is not finite; give a length [m]";
    }
    if (!in_range(contacts.indices1, contacts.size1) || !in_range(contacts.indices2, contacts.size2)) {
        return "indices1 or indices2 names a point that its object does not have";
    }
    return {};
}

std::string wrong_solver(const sofa::core::objectmodel::BaseContext& context)
{
    using Generic = sofa::component::constraint::lagrangian::solver::GenericConstraintSolver;
    const auto* solver =
        context.get<sofa::core::behavior::ConstraintSolver>(sofa::core::objectmodel::BaseContext::SearchUp);
    if (solver == nullptr || dynamic_cast<const Generic*>(solver) != nullptr) {
        return {};
    }
    return solver->getClassName() + " has a friction of its own; use BlockGaussSeidelConstraintSolver";
}

}  // namespace softcontact::plugin

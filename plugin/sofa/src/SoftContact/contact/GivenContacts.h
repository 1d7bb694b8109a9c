// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <sofa/core/objectmodel/BaseContext.h>
#include <sofa/type/Vec.h>
#include <sofa/type/vector.h>

#include <string>

namespace softcontact::plugin {

/// Contacts that a scene gives by hand: points of one object that touch points of another.
struct GivenContacts {
    const sofa::type::vector<sofa::Index>& indices1;
    const sofa::type::vector<sofa::Index>& indices2;
    const sofa::type::vector<sofa::type::Vec3>&
        normals;               ///< from object 1 to object 2; one, or one a contact
    SReal distance;            ///< that is kept [m]
    std::size_t size1, size2;  ///< points that the objects have
};

/// What does not fit and how to mend it, or nothing.
[[nodiscard]] SOFA_SOFTCONTACT_API std::string wrong_given_contacts(const GivenContacts& contacts);

/// Why the constraint solver at or above `context` cannot use rows with a resolution of their own, and what
/// to do; or nothing.
[[nodiscard]] SOFA_SOFTCONTACT_API std::string wrong_solver(
    const sofa::core::objectmodel::BaseContext& context);

}  // namespace softcontact::plugin

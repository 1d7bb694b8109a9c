// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/vademecum/penalty_contact.hpp>

namespace softcontact {

/// Branch of the law of PenaltyContact that a point is on, where a step's linearised displacements bring it.
struct ContactBranch {
    enum class Touch : char { apart, sticks, slides };

    Touch touch = Touch::apart;
    Vector3d along = Vector3d::Zero();  ///< where it slides: the way from its anchor, unit
    double turning = 0.0;               ///< change of friction with a way across that [N/m]
    double wrong = 0.0;                 ///< how far it is from the branch that it was taken to be on [m]

    /// Where the place has gone `way` from the point [m], which was taken to be on branch `now`. What slid
    /// one way does not slide back before it has stuck: else steps would leap over where it sticks, to and
    /// fro.
    [[nodiscard]] static ContactBranch at(const PenaltySettings& law, const PenaltyPoint& point,
                                          const Vector3d& way, const ContactBranch& now) noexcept;
};

/// Force on the shell [N] of a branch, at no way, and its change with a way of the place [N/m]. Of a point
/// that is still apart the force is that of the straight law, negative.
struct BranchForce {
    Vector3d force;
    Matrix3d stiffness;

    BranchForce(const PenaltySettings& law, const PenaltyPoint& point, const ContactBranch& branch) noexcept;
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/contact_branch.hpp"

#include <algorithm>
#include <cmath>

namespace softcontact {

ContactBranch ContactBranch::at(const PenaltySettings& law, const PenaltyPoint& point, const Vector3d& way,
                                const ContactBranch& now) noexcept
{
    ContactBranch out;
    const double along_normal = point.normal.dot(way), depth = point.depth + along_normal;
    out.wrong = now.touch == Touch::apart || !(depth > 0.0) ? std::abs(depth) : 0.0;
    if (!(depth > 0.0)) return out;
    out.touch = Touch::sticks;
    if (!point.anchored) return out;
    const Vector3d drawn = point.way - way + along_normal * point.normal;
    const double bound = law.friction * law.stiffness * depth / law.tangential_stiffness;
    const double length = now.touch == Touch::slides ? drawn.dot(now.along) : drawn.norm();
    if (length > bound) {
        out.touch = Touch::slides;
        out.along = drawn.normalized();
        out.turning = law.tangential_stiffness * bound / drawn.norm();
    }
    out.wrong = std::max(out.wrong, std::abs(length - bound));
    return out;
}

BranchForce::BranchForce(const PenaltySettings& law, const PenaltyPoint& point,
                         const ContactBranch& branch) noexcept
{
    const Vector3d& n = point.normal;
    const bool slides = branch.touch == ContactBranch::Touch::slides;
    const Vector3d pushed = slides ? Vector3d(n - law.friction * branch.along) : n;
    force = law.stiffness * point.depth * pushed;
    stiffness = law.stiffness * pushed * n.transpose();
    if (!point.anchored) return;
    Matrix3d across = Matrix3d::Identity() - n * n.transpose();
    if (slides) across -= branch.along * branch.along.transpose();
    const double hold = slides ? branch.turning : law.tangential_stiffness;
    force -= hold * (across * point.way);
    stiffness += hold * across;
}

}  // namespace softcontact

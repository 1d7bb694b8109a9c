// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <softcontact/haptics/linear_contact_model.hpp>
#include <stdexcept>
#include <string>

namespace softcontact {

namespace {

int checked(int capacity)
{
    if (capacity < 0) {
        throw std::invalid_argument("capacity = " + std::to_string(capacity) + " contacts must be >= 0");
    }
    return capacity;
}

}  // namespace

LinearContactModel::LinearContactModel(int capacity) : rows(checked(capacity)) {}

Wrench LinearContactModel::wrench(const Vector3d& force, const Vector3d& torque) const
{
    return Wrench::from(offset + gain.leftCols<3>() * force + gain.rightCols<3>() * torque);
}

Wrench LinearContactModel::solve(const Vector6d& free, int max_changes)
{
    rows.solve(free, max_changes);
    return Wrench::from(rows.wrench());
}

bool LinearContactModel::finite() const
{
    return offset.allFinite() && gain.allFinite() && reference.finite() && centre.allFinite() &&
           free_force.allFinite() && contact.allFinite() && system.allFinite() && rows.finite() &&
           step > 0.0 && fast_step > 0.0 && std::isfinite(step + fast_step);
}

}  // namespace softcontact

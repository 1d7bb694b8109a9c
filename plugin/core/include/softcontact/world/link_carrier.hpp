// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/types.hpp>

namespace softcontact {

/// A system whose rigid links carry contact surfaces: so few unknowns that the two halves of its solve,
/// A = Lᵀ L, tell W = G Gᵀ, G = H L⁻¹, more cheaply than W does.
class LinkCarrier {
public:
    LinkCarrier() = default;
    virtual ~LinkCarrier() = default;
    LinkCarrier(const LinkCarrier&) = delete;
    LinkCarrier& operator=(const LinkCarrier&) = delete;

    [[nodiscard]] virtual const Pose& link_pose(int link) const = 0;
    /// Jᵀ of a link (freedoms, 6): what unit forces at its origin, then moments, exert; in world axes.
    virtual void write_wrenches(int link, MatrixXd& columns) const = 0;
    /// Velocity unknowns.
    [[nodiscard]] virtual Index freedoms() const = 0;
    /// columns ← L⁻ᵀ columns, whose zeros stay as far as those of A do.
    virtual void half_solve(Eigen::Ref<MatrixXd> columns) const = 0;
    /// column ← L⁻¹ column.
    virtual void other_half(Eigen::Ref<VectorXd> column) const = 0;
};

}  // namespace softcontact

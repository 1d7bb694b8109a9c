// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/types.hpp>
#include <vector>

namespace softcontact {

/// The loads that a vademecum knows: a force of up to `magnitude` at one of some nodes, along one of some
/// directions; case = direction × number of nodes + position of the node.
///
/// Families whose directions are opposite make one axis. An axis takes a force of either sign: with the
/// family of that sign where there is one, else with a negative size of the other.
class LoadFamilies {
public:
    struct Axis {
        Index plus = -1, minus = -1;  ///< families along and against it; minus: -1 where there is none
    };

    /// @param nodes rest positions (3, n) [m] of all nodes.
    /// @param loaded nodes, growing.
    /// @param clamped nodes: forces on them go to the ground.
    /// @param directions (3, f) unit vectors, those that are not opposite linearly independent.
    /// @throws std::invalid_argument numbers or directions out of range.
    LoadFamilies(const Eigen::Ref<const Points>& nodes, std::vector<Index> loaded,
                 const std::vector<Index>& clamped, const Eigen::Ref<const Points>& directions,
                 double magnitude);

    [[nodiscard]] Index axis_count() const { return static_cast<Index>(m_axes.size()); }
    [[nodiscard]] Index loaded_count() const { return static_cast<Index>(m_loaded.size()); }
    [[nodiscard]] double magnitude() const { return m_magnitude; }
    [[nodiscard]] Index node(Index position) const { return m_loaded[static_cast<std::size_t>(position)]; }

    /// Position among the loaded nodes of the one that takes a force on a node: itself, or the nearest at
    /// rest; -1 for a clamped one.
    [[nodiscard]] Index position(Index node) const { return m_position[static_cast<std::size_t>(node)]; }
    /// Sizes (axes) [-] that make up a force [N]; what no axis carries is left out, in the least-squares
    /// sense.
    [[nodiscard]] auto sizes(const Vector3d& force) const { return m_inverse * force; }
    [[nodiscard]] const Eigen::Matrix<double, Eigen::Dynamic, 3>& inverse() const { return m_inverse; }
    /// Case and size of the family that answers a size along an axis at a loaded position.
    struct Load {
        Index load_case = 0;
        double size = 0.0;
        double slope = 1.0;  ///< of that size with the one along the axis, 1 or −1
    };
    [[nodiscard]] Load load(Index position, Index axis, double size) const noexcept;

private:
    std::vector<Index> m_loaded, m_position;
    std::vector<Axis> m_axes;
    Eigen::Matrix<double, Eigen::Dynamic, 3> m_inverse;  ///< (axes, 3) [1/N]
    double m_magnitude;
};

}  // namespace softcontact

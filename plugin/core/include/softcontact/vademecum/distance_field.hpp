// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <softcontact/types.hpp>
#include <softcontact/vademecum/separated_distances.hpp>
#include <span>
#include <vector>

namespace softcontact {

/// Signed distances on one grid for many states of a body; `values` has to live as long as what is made of
/// it.
struct DistanceTable {
    Vector3d origin = Vector3d::Zero();       ///< lowest corner [m]
    Vector3d spacing = Vector3d::Ones();      ///< of the grid points [m], > 0
    std::array<Index, 3> counts = {0, 0, 0};  ///< grid points along x, y, z, two or more each
    std::span<const float> values;            ///< [m], negative inside: state, x, y, z; z fastest
};

/// Which tables a question is for: one, or two blended.
struct DistanceState {
    Index table = 0;
    Index other = 0;
    double share = 0.0;  ///< of `other`, in [0, 1]
};

/// Where `contacts` writes; the shortest bounds how many.
struct ContactRoom {
    std::span<Index> points;      ///< number of each point in contact
    std::span<double> depths;     ///< [m], > 0
    std::span<Vector3d> normals;  ///< unit, out of the body; zero where the distance has no gradient

    [[nodiscard]] Index size() const noexcept;
};

/// The signed distance to the boundary of every tabulated state, trilinear in space. Nothing allocates after
/// the construction, and every question has an answer:
///   - beyond the grid, the distance to the grid and that at its nearest point, added, with the gradient of
///   that;
///   - on the border of two cells, that of the upper cell, except at the grid's last points;
///   - NaN for a point that is not finite, or a state that there is not; such a point is in contact with
///   nothing.
/// Source: González et al. 2015, Sec. 3.1.
class DistanceField {
public:
    /// @throws std::invalid_argument sizes that do not fit together, or values that are not finite.
    explicit DistanceField(const DistanceTable& table);
    /// The same from separated values, which are summed up where they are asked for.
    explicit DistanceField(const SeparatedTable& table);

    [[nodiscard]] Index state_count() const noexcept { return static_cast<Index>(m_boxes.size()); }

    /// Signed distance [m] of a point, and its gradient [-] where `gradient` is given. Of two blended tables
    /// the distances are blended, which holds while the boundary moves by less than a cell from one to the
    /// other.
    [[nodiscard]] double distance(const Vector3d& point, const DistanceState& state,
                                  Vector3d* gradient = nullptr) const noexcept;

    /// Points of a pointshell (3, n) [m] whose distance is negative, in their order: numbers, depths,
    /// normals. Returns how many there are, which may be more than there is room for; the first ones are
    /// written then.
    [[nodiscard]] Index contacts(const Eigen::Ref<const Points>& points, const DistanceState& state,
                                 const ContactRoom& room) const noexcept;

    /// Interpolated distance [m] of a point, and by how much the exact one may differ from it there:
    /// distances change no faster than the point moves, and those at the grid's points are exact up to
    /// round-off, or to the bound of the separated values.
    struct Bound {
        double distance;
        double error;
    };
    /// Of a finite point and a state that there is. The blend of two tables counts as their least.
    [[nodiscard]] Bound bound(const Vector3d& point, const DistanceState& state) const noexcept;

    /// Whether there is such a state.
    [[nodiscard]] bool has(const DistanceState& state) const noexcept;

private:
    /// Cells with a corner inside the body lie within it, in cells from the first: lower <= cell < upper.
    struct CellBox {
        Eigen::Array3d lower, upper;
    };

    [[nodiscard]] double evaluate(const Vector3d& scaled, const Vector3d& clamped, const DistanceState& state,
                                  Vector3d* gradient) const noexcept;
    [[nodiscard]] bool may_be_inside(Index state, Index cell) const noexcept;
    using Corners = std::array<double, 8>;  ///< of a cell: that at (i, j, k) has the number 4 i + 2 j + k
    [[nodiscard]] Corners corners(Index table, const std::array<Index, 3>& cell) const noexcept;
    [[nodiscard]] Corners corners(const DistanceState& state,
                                  const std::array<Index, 3>& cell) const noexcept;
    void prepare(Index states);
    void mark_cells(Index state, const float* values);

    DistanceTable m_table;  ///< without values where they are separated
    std::optional<SeparatedDistances> m_separated;
    double m_error = 0.0;               ///< of the values [m]
    Vector3d m_scale;                   ///< 1/spacing
    std::array<Index, 3> m_cells;       ///< along x, y, z
    Vector3d m_last;                    ///< the same: the grid's far corner in cells
    std::vector<CellBox> m_boxes;       ///< of each state
    std::vector<std::uint64_t> m_bits;  ///< one a cell and state: whether a corner of it is inside
    Index m_words = 0;                  ///< of a state
};

}  // namespace softcontact

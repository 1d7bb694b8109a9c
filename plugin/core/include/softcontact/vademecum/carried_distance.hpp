// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <softcontact/vademecum/distance_field.hpp>
#include <softcontact/vademecum/penalty_contact.hpp>
#include <vector>

namespace softcontact {

/// Depths from tabulated distances, for states that are none of the tabulated ones: of another size, or with
/// other loads beside. A point goes with the triangle of the boundary that is nearest, as if it was glued to
/// it, from where that is now to where it is in the tabulated states before and after, and their distances
/// are blended. Exact in a tabulated state; else the error is what the triangle's surroundings turn against
/// it from one state to the other, times their distance from it. Nothing allocates after the construction.
class CarriedDistance final : public DepthMeasure {
public:
    /// @param field distances, table = number of the size × cases + case; has to live on.
    /// @param solution displacements; has to live on.
    /// @param nodes rest positions (3, n) [m].
    /// @param sizes of the load that are tabulated, growing.
    /// @throws std::invalid_argument sizes that do not fit the tables.
    CarriedDistance(const DistanceField& field, const SeparatedField& solution, Points nodes,
                    std::vector<double> sizes);

    /// Ask the tables of this case around this size; sizes beyond the tabulated ones take the nearest. False,
    /// and those before stay, where there is no such case or the size is not finite.
    bool take(Index load_case, double size) noexcept;

    void measure(DeformedBoundary& boundary, const Vector3d& point, BoundaryPoint& found) noexcept override;

private:
    /// A tabulated state: its table, its share, and how the nodes stand in it.
    struct State {
        Index table = 0;
        double share = 0.0;
        LoadedField loaded;
    };

    const DistanceField& m_field;
    Points m_nodes;
    std::vector<double> m_sizes;
    Index m_cases;
    std::array<State, 2> m_states;
};

}  // namespace softcontact

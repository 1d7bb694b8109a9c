// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/types.hpp>
#include <string>
#include <vector>

namespace softcontact {

/// One finger of a closing hand: the velocity coordinates that close it, base first.
struct GraspFinger {
    std::string name;
    std::vector<Index> dofs;
    std::vector<double> rates;  ///< closing rate of each coordinate [rad/s], signed
    std::vector<int> links;     ///< link that each coordinate moves
    double share = 1.0;         ///< of the wanted force: a thumb opposes several fingers
};

/// Closes fingers until each pushes with a wanted normal force, then leaves the spring targets where they
/// are.
///
/// Coordinate j advances at its rate times clamp(gain (1 − F_j/F), 0, 1), F_j the normal force on the links
/// from j outwards: a phalanx that touches stops the joints before it, those beyond go on closing. A finger
/// never gives way: its joint springs do. Outside [start, end] nothing moves, so that a held object rests on
/// springs at rest.
class GraspController {
public:
    /// start < end [s], force > 0 [N].
    GraspController(int system, std::vector<GraspFinger> fingers, double start, double end, double force);

    /// Advances the offsets over a step that ends at `time`; link_forces: normal force on each link [N].
    void advance(double time, double step, const std::vector<double>& link_forces);

    [[nodiscard]] int system() const { return m_system; }
    [[nodiscard]] std::size_t finger_count() const { return m_fingers.size(); }
    [[nodiscard]] const GraspFinger& finger(std::size_t i) const { return m_fingers[i]; }
    /// Offset of each coordinate of finger i [rad].
    [[nodiscard]] const std::vector<double>& offsets(std::size_t i) const { return m_offsets[i]; }

    static constexpr double gain = 4.0;  ///< slows down over the last quarter of the wanted force

private:
    int m_system;
    std::vector<GraspFinger> m_fingers;
    std::vector<std::vector<double>> m_offsets;
    double m_start, m_end, m_force;
};

}  // namespace softcontact

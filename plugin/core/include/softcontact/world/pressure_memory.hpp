// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/contact/aggregate.hpp>
#include <softcontact/contact/contact_point.hpp>
#include <softcontact/world/patch.hpp>
#include <span>
#include <vector>

namespace softcontact {

/// Tissue that nothing holds, lying flat under a patch.
struct FreeTissue {
    double modulus = 0.0;          ///< plane-strain modulus of the softer side [Pa]; zero: held, or round
    double wave_way = 0.0;         ///< how far a pressure wave runs through it in the step [m]
    std::span<const double> gaps;  ///< of the patch's points at the start of the step [m]
};

/// How the normal force of a patch is spread over its points: by a profile that belongs to the geometry, and
/// by where the last step found the centre of pressure to lie. Buffers grow to the largest patch seen.
class PressureSpread {
public:
    /// Shares (sum 1) of this step's points. weights (points.size()) >= 0: S_i d_i, or S_i for an even
    /// pressure, one of them > 0. With `moments` the centre of pressure stays where the last step found it,
    /// on the points that are still there (fit_pressure()); else it is the profile's.
    /// yields: weights that answer to where the bodies are, and the bodies to them, which a profile taken
    /// anew each step would keep going for ever. So a profile stays until 2.5 % of the force would lie
    /// elsewhere: what is at rest has the same rows in each step. It is followed by half a step's difference,
    /// and by less, to a thirty-second, while it turns back from step to step: that settles where the bodies'
    /// answer overshoots up to sixty times.
    ///
    /// Tissue that nothing holds and that lies on a flat face is another matter: its undeformed overlap is
    /// next to nothing, and turns with round-off. There the weights are the first profile only. From then on
    /// the pressure answers to the gaps: where the tissue is inside it rises, where it is lifted it falls, by
    /// the stiffness of a half-space against a wave as long as the patch, π E' / √S: Uzawa's iteration for
    /// the pressure of a contact point by point, one turn a step. It takes no more than a wave runs through
    /// of the patch, less and less while nothing changes much, and stops within `settled_ratio`, or after a
    /// thousand steps, when a step counts a twenty-sixth.
    void spread(std::span<const ContactPoint> points, std::span<const double> weights, bool moments,
                bool yields, const PairMemory& memory, const FreeTissue& free_tissue = {});
    /// Overlap of a settled patch of free tissue, over √S.
    static constexpr double settled_ratio = 2e-3;

    [[nodiscard]] std::span<const double> profile() const { return m_profile; }
    [[nodiscard]] std::span<const double> shares() const { return m_shares; }

    /// Keeps the shares that the solved load has under the keys of the points. moment: about (t, s) and the
    /// patch's moment centre [N m].
    void remember(std::span<const ContactPoint> points, const AggregatePatch& patch, double normal_force,
                  const Vector2d& moment, PairMemory& memory);

private:
    void lag(std::span<const ContactPoint> points, const PairMemory& memory);
    /// The last shares, those of points that are gone at the nearest that is left: in m_pressed.
    void take_over(std::span<const ContactPoint> points, const PairMemory& memory);
    [[nodiscard]] bool answer(std::span<const ContactPoint> points, const PairMemory& memory,
                              const FreeTissue& tissue);

    double m_pace = 0.5, m_settling_steps = 0.0, m_event_force = 0.0;
    Vector3d m_event_place = Vector3d::Zero();
    std::vector<double> m_change, m_profile, m_shares, m_offsets, m_pressed;
    std::vector<std::size_t> m_order;
    std::vector<char> m_met;
};

}  // namespace softcontact

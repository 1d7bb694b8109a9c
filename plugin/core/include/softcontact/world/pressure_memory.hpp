// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/contact/aggregate.hpp>
#include <softcontact/contact/contact_point.hpp>
#include <softcontact/world/patch.hpp>
#include <span>
#include <vector>

namespace softcontact {

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
    void spread(std::span<const ContactPoint> points, std::span<const double> weights, bool moments,
                bool yields, const PairMemory& memory);

    [[nodiscard]] std::span<const double> profile() const { return m_profile; }
    [[nodiscard]] std::span<const double> shares() const { return m_shares; }

    /// Keeps the shares that the solved load has under the keys of the points. moment: about (t, s) and the
    /// patch's moment centre [N m].
    void remember(std::span<const ContactPoint> points, const AggregatePatch& patch, double normal_force,
                  const Vector2d& moment, PairMemory& memory);

private:
    void lag(std::span<const ContactPoint> points, const PairMemory& memory);

    double m_pace = 0.5;
    std::vector<double> m_change, m_profile, m_shares, m_offsets, m_pressed;
    std::vector<std::size_t> m_order;
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <optional>
#include <set>
#include <softcontact/world/contact_surface.hpp>
#include <softcontact/world/settings.hpp>
#include <utility>
#include <vector>

namespace softcontact {

/// How two surfaces touch; A is the aggregating, or else the softer, side.
struct PairLaw {
    int a = -1;
    int b = -1;
    double friction = 0.0;
    double restitution = 0.0;  ///< Newton's: what is left of the speed of approach, turned round
    bool aggregated = false;
};

/// Which surfaces may touch, and how: what was set for single pairs, and what follows from the surfaces.
class PairLaws {
public:
    void set_friction(int surface_a, int surface_b, double friction);
    void set_restitution(int surface_a, int surface_b, double restitution);
    void disable(int surface_a, int surface_b);
    /// Nothing where two surfaces never touch: neither moves, they belong to one body, or are disabled.
    [[nodiscard]] std::optional<PairLaw> of(const std::vector<ContactSurface>& surfaces, int first,
                                            int second, ContactModel model) const;

private:
    using Pair = std::pair<int, int>;  ///< ascending
    std::map<Pair, double> m_friction, m_restitution;
    std::set<Pair> m_disabled;
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <softcontact/world/pair_laws.hpp>

namespace softcontact {

void PairLaws::set_friction(int surface_a, int surface_b, double friction)
{
    m_friction[std::minmax(surface_a, surface_b)] = friction;
}

void PairLaws::set_restitution(int surface_a, int surface_b, double restitution)
{
    m_restitution[std::minmax(surface_a, surface_b)] = restitution;
}

void PairLaws::disable(int surface_a, int surface_b)
{
    m_disabled.insert(std::minmax(surface_a, surface_b));
}

std::optional<PairLaw> PairLaws::of(const std::vector<ContactSurface>& surfaces, int first, int second,
                                    ContactModel model) const
{
    const Pair pair = std::minmax(first, second);
    const auto& a = surfaces[static_cast<std::size_t>(pair.first)];
    const auto& b = surfaces[static_cast<std::size_t>(pair.second)];
    const bool moved = a.kind != ContactSurface::Kind::kinematic || b.kind != ContactSurface::Kind::kinematic;
    const bool same_link = a.link_system >= 0 && a.link_system == b.link_system && a.link == b.link;
    const bool same_field = a.field_system >= 0 && a.field_system == b.field_system;
    if (!moved || same_link || same_field || m_disabled.contains(pair)) {
        return std::nullopt;
    }
    // A aggregates; else it is the softer, else the one that moves, else the first.
    const auto rank = [](const ContactSurface& surface) {
        return 4 * static_cast<int>(surface.aggregate) + 2 * static_cast<int>(surface.field_system >= 0) +
               static_cast<int>(surface.kind != ContactSurface::Kind::kinematic);
    };
    PairLaw law;
    law.a = pair.first;
    law.b = pair.second;
    if (rank(b) > rank(a)) {
        std::swap(law.a, law.b);
    }
    const auto friction = m_friction.find(pair), restitution = m_restitution.find(pair);
    law.friction = friction != m_friction.end() ? friction->second : std::sqrt(a.friction * b.friction);
    law.restitution = restitution != m_restitution.end() ? restitution->second : 0.0;
    // A patch has one gap, and its corners bounce one after another.
    law.aggregated =
        model == ContactModel::aggregate && (a.aggregate || b.aggregate) && !(law.restitution > 0.0);
    return law;
}

}  // namespace softcontact

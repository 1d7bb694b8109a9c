// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/geometry/overlap.hpp>
#include <softcontact/world/contact_problem_builder.hpp>
#include <vector>

namespace softcontact {

/// How deep bodies are inside each other, by the geometry of whole surfaces alone: no contact that was found,
/// or not found, has a say.
class OverlapJudge {
public:
    struct Look {
        PairLaw law;             ///< of the pair
        double size = 0.0;       ///< of the smaller body, its largest side [m]
        double tolerance = 0.0;  ///< depth above which a step that made it is taken again in parts [m]
        double depth = 0.0;      ///< [m], to within a twentieth of the tolerance
        double before = 0.0;     ///< depth when the step began [m]
        bool known = false;      ///< depth is that of the placement below
        Pose a_to_b;
        double path_a = 0.0, path_b = 0.0;
    };

    /// Forgets all looks; these are the surfaces from now on.
    void set_surfaces(const std::vector<ContactSurface>& surfaces);
    /// Looks at all pairs that may touch, where the surfaces are now.
    void look(std::vector<ContactSurface>& surfaces, const PairLaws& laws, ContactModel model);
    /// Remembers the looks as those of the start of a step; go_back() returns to them.
    void keep();
    void go_back();
    /// Of all pairs whose boxes touch, in the order of their surfaces; all others are not inside each other.
    [[nodiscard]] std::span<const Look> looks() const { return m_looks; }

private:
    [[nodiscard]] static bool still_holds(const Look& look, const Surface& a, const Surface& b,
                                          const Pose& a_to_b);
    /// The pairs whose boxes touch now, with what is known of them.
    void list_near(const std::vector<ContactSurface>& surfaces, const PairLaws& laws, ContactModel model);
    [[nodiscard]] Look first_look(const std::vector<ContactSurface>& surfaces, const PairLaw& law) const;

    BroadPhase m_broad_phase;
    std::vector<Aabb> m_boxes;
    std::vector<BroadPhase::Pair> m_near;
    OverlapSearch m_search;
    std::vector<Vector3d> m_extents;  ///< of the surfaces
    std::vector<Look> m_looks, m_past, m_kept;
};

}  // namespace softcontact

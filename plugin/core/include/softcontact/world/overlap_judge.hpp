// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/geometry/overlap.hpp>
#include <softcontact/world/contact_problem_builder.hpp>
#include <softcontact/world/pair_finder.hpp>
#include <vector>

namespace softcontact {

/// How deep bodies are inside each other, by the geometry of whole surfaces alone: no contact that was found,
/// or not found, has a say.
class OverlapJudge {
public:
    void set_pairs(const std::vector<ContactSurface>& surfaces, const std::vector<ContactPair>& pairs);
    /// Looks at all pairs where the surfaces are now.
    void look(std::vector<ContactSurface>& surfaces, const std::vector<ContactPair>& pairs);
    /// Forgets the last look, of a step that is taken again: these are the depths from before [m].
    void go_back(const std::vector<double>& depths);
    /// Depth of each pair at the last look [m], to within a twentieth of its tolerance.
    [[nodiscard]] double depth(std::size_t pair) const { return m_looks[pair].depth; }
    /// Depth above which a step that made it is taken again in parts [m]: a share of the smaller body.
    [[nodiscard]] double tolerance(std::size_t pair) const { return m_looks[pair].tolerance; }
    /// Size of the smaller body of a pair, its largest side [m].
    [[nodiscard]] double size(std::size_t pair) const { return m_looks[pair].size; }

private:
    struct Look {
        double size = 0.0, tolerance = 0.0;
        double depth = 0.0;
        bool known = false;  ///< depth is that of the placement below
        Pose a_to_b;
        double path_a = 0.0, path_b = 0.0;
        bool near = false;  ///< in this look
    };
    [[nodiscard]] static bool still_holds(const Look& look, const Surface& a, const Surface& b,
                                          const Pose& a_to_b);

    PairFinder m_finder;
    OverlapSearch m_search;
    std::vector<Look> m_looks;
};

}  // namespace softcontact

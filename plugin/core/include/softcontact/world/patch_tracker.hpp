// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/contact/contact_clusters.hpp>
#include <softcontact/world/patch.hpp>
#include <span>
#include <vector>

namespace softcontact {

/// The patches of pairs that may have several, and what each of them remembers between steps.
///
/// What was learned at a contact point stays with it: where a patch splits, each part takes over the
/// pressures of its own points and the share of the forces that they carried; where patches merge, pressures
/// and forces add up. A patch that stays as it was keeps its memory bit for bit. Does not allocate unless
/// there are more patches or points than ever before.
class PatchTracker {
public:
    struct Part {
        int label = 0;          ///< of the patch within its pair, the same as long as it lives
        std::size_t first = 0;  ///< its points
        std::size_t count = 0;
        std::vector<std::uint64_t> members;  ///< their keys, ascending
        PairMemory memory;
    };

    /// Forgets everything.
    void clear();
    /// The step that was becomes the past; there are so many pairs now.
    void begin_step(std::size_t pairs);
    /// The pairs have other numbers from now on: those that are `gone` lie beyond all others.
    void move_pairs(std::span<const std::size_t> places);
    /// Sorts the points of a pair (ascending keys) into patches: the points of each lie side by side
    /// afterwards, in the order of their keys. spacing: how densely they sample the surface [m]. tangent: of
    /// the pair, for patches without a past. Returns the numbers of the first of its parts and the one after
    /// the last.
    std::pair<std::size_t, std::size_t> add_pair(std::size_t pair, std::span<ContactPoint> points,
                                                 double spacing, const Vector3d& tangent);
    [[nodiscard]] Part& part(std::size_t index) { return m_now.parts[index]; }
    [[nodiscard]] const Part& part(std::size_t index) const { return m_now.parts[index]; }
    /// Makes room for the memory of so many points in each part there is, and some more parts.
    void reserve(std::size_t points);

private:
    struct Range {
        std::size_t first = 0;
        std::size_t count = 0;
    };
    struct Step {
        std::vector<Part> parts;  ///< the first `used` count
        std::size_t used = 0;
        std::vector<Range> ranges;  ///< parts of each pair
    };
    struct Source {
        std::size_t part = 0;                        ///< of the step before
        double share = 0.0;                          ///< of its normal force that it remembers at the point
        double profile = 0.0, profile_change = 0.0;  ///< the same of its profile
        bool found = false;
        bool remembered = false;  ///< it was loaded, or might have been
    };

    Part& new_part();
    void look_up(std::span<const ContactPoint> points, const Range& past);
    void carry_over(Part& part, std::span<const ContactPoint> points, const Range& past,
                    const Vector3d& tangent);

    Step m_before, m_now;
    ContactClusters m_clusters;
    std::vector<int> m_labels;
    std::vector<Source> m_sources;         ///< of the points of the pair at hand
    std::vector<double> m_known, m_taken;  ///< share of each past part at all points of now, and at a part's
    std::vector<ContactPoint> m_sorted;
    std::vector<Source> m_sorted_sources;
    std::size_t m_point_room = 0;
};

}  // namespace softcontact

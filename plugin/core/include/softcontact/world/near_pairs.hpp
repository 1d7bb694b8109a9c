// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <softcontact/contact/detection_side.hpp>
#include <softcontact/geometry/broad_phase.hpp>
#include <softcontact/world/pair_laws.hpp>
#include <softcontact/world/patch.hpp>
#include <unordered_map>
#include <vector>

namespace softcontact {

/// Two surfaces that are near each other, or were a while ago, and what is remembered of them.
struct ContactPair : PairLaw {
    PairMemory memory;
    DetectionMemory detection;
    int unseen = 0;  ///< steps since they were near
};

/// The pairs whose boxes are near each other: as many as there are neighbours, not all that could be.
class NearPairs {
public:
    /// Box of each surface, for the next find().
    [[nodiscard]] std::vector<Aabb>& boxes() { return m_boxes; }
    /// Indices of the pairs that may touch and whose boxes are at most `margin` apart along every axis [m],
    /// in the order of their surfaces. New ones come last into `pairs`.
    const std::vector<std::size_t>& find(const std::vector<ContactSurface>& surfaces, double margin,
                                         const PairLaws& laws, ContactModel model,
                                         std::vector<ContactPair>& pairs);
    /// Drops pairs that have not been near for long, and counts those of now. Returns where the others are
    /// now, or `gone`; empty where none was dropped.
    const std::vector<std::size_t>& forget_far(std::vector<ContactPair>& pairs);
    static constexpr auto gone = static_cast<std::size_t>(-1);
    void clear();

private:
    static std::uint64_t key(int first, int second)
    {
        return (static_cast<std::uint64_t>(first) << 32U) | static_cast<std::uint64_t>(second);
    }

    BroadPhase m_broad_phase;
    std::vector<Aabb> m_boxes;
    std::vector<BroadPhase::Pair> m_near;
    std::unordered_map<std::uint64_t, std::size_t> m_place;  ///< in the pairs; `gone` where they never touch
    std::vector<std::size_t> m_found, m_moved;
};

}  // namespace softcontact

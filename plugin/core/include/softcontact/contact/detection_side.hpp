// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "softcontact/contact/near_features.hpp"

namespace softcontact {

/// What one surface of a pair remembers of the other, to look for contacts in less time; changes none of
/// them.
struct SideMemory {
    Clearance clearance;
    NearFeatures near;
};

/// The same for both surfaces of a pair.
struct DetectionMemory {
    SideMemory of_a, of_b;
    /// Makes room ahead of the first step.
    void reserve(const Surface& a, const Surface& b);
};

/// Buffers for the vertices of one surface that are near another one.
struct CandidateBuffers {
    struct Candidate {
        int vertex;
        Vector3d point;  ///< in the other surface's frame
    };
    std::vector<Candidate> candidates;  ///< vertices near the other surface
    std::vector<int> seen;              ///< vertices marked
    std::vector<char> marked;           ///< per vertex, 0 between calls
    std::vector<int> edges;             ///< near the other surface
};

/// One surface of a pair as it looks at the other, with or without a memory.
class DetectionSide {
public:
    DetectionSide(const Surface& self, const Surface& other, const Pose& to_other, const Pose& from_other,
                  SideMemory* memory)
        : m_self(self), m_other(other), m_to_other(to_other), m_from_other(from_other), m_memory(memory)
    {
    }

    [[nodiscard]] const Surface& self() const { return m_self; }
    [[nodiscard]] const Surface& other() const { return m_other; }
    [[nodiscard]] const Pose& to_other() const { return m_to_other; }
    [[nodiscard]] const Pose& from_other() const { return m_from_other; }

    /// Brings the memory up to date, if there is one and it does not hold any more.
    void gather(double alarm_distance, double reach) const;
    /// Vertices inside the other surface's box, or within the alarm distance of it [m], but for those that
    /// are remembered to be too far outside to make a contact, into buffers.candidates.
    void collect_vertices(double alarm_distance, CandidateBuffers& buffers) const;
    /// Edges that may be within `reach` of the other surface [m], into buffers.edges.
    void collect_edges(double reach, CandidateBuffers& buffers) const;
    /// Nearest point of the other surface to a vertex at `point` in its frame: at least that within `reach`
    /// [m].
    [[nodiscard]] ClosestPoint nearest(int vertex, const Vector3d& point, double reach) const
    {
        return m_memory != nullptr ? m_memory->clearance.look(vertex, point, m_other)
                                   : closest_point_local(m_other, point, reach);
    }

private:
    const Surface& m_self;
    const Surface& m_other;
    const Pose& m_to_other;
    const Pose& m_from_other;
    SideMemory* m_memory;
};

}  // namespace softcontact

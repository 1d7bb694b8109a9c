// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <limits>
#include <vector>

#include "softcontact/contact/contact_point.hpp"
#include "softcontact/contact/detection_side.hpp"
#include "softcontact/geometry/surface.hpp"

namespace softcontact {

struct DetectionOptions {
    /// Surfaces nearer than this make a contact [m], > 0.
    double alarm_distance = 0.002;
    /// Distance kept between the surfaces [m], >= 0: gap = distance − contact_offset.
    double contact_offset = 0.0;
    /// Deepest penetration looked for [m]; negative: penetration_multiple alarm distances.
    double max_penetration = -1.0;
    /// Look for crossing edges as well.
    bool edge_edge = true;
    /// Overlap of surfaces between the vertices of their meshes that is put up with [m]: what smooth edges
    /// that cross would tell beyond vertices, in fine meshes at a high price.
    double edge_tolerance = 1e-4;
    /// Smooth edges that cross count up to this distance [m]; of what is further apart the vertices tell. At
    /// most the alarm distance.
    double smooth_distance = std::numeric_limits<double>::infinity();

    /// Sets both limits of smooth edges as a step wants them: for the points of a patch or for point
    /// contacts, with the alarm distance of bodies that hardly move and their travel in the step [m]. Returns
    /// how far apart they may be beside the travel.
    double limit_smooth_edges(bool patch, double alarm, double travel);

    static constexpr double penetration_multiple = 4.0;
    [[nodiscard]] double search_depth() const
    {
        return max_penetration < 0.0 ? penetration_multiple * alarm_distance : max_penetration;
    }
    /// Raises std::invalid_argument naming the option and its value.
    void validate() const;
};

/// Buffers of detect_contacts. They grow to the largest pair of surfaces seen and then never allocate; one
/// workspace may serve any number of pairs in turn.
class DetectionWorkspace : public CandidateBuffers {
public:
    /// Makes room for a pair ahead of the first step.
    void reserve(const Surface& a, const Surface& b);

    std::vector<int> contact_of_vertex;  ///< per vertex of A: its contact in `out`, -1 between calls
    std::vector<double> touch;           ///< per vertex of A: Σ of weights, 0 between calls
};

/// Contacts of one pair of surfaces by local minimum distances.
///
/// Three kinds, each kept only where -search_depth <= distance <= alarm_distance:
///   1. vertices of A with their nearest point on B: all those above a face of B, so that A samples the
///      contact as densely as its mesh; above an edge or a corner those at a local minimum of the distance
///      (the normal lies in the vertex's normal cone: no neighbour is nearer);
///   2. vertices of B with their nearest point on A, where A's vertices do not represent them: at a local
///      minimum of the distance, or where A's triangle is far coarser than B;
///   3. crossing edges with the normal in both normal cones, but for smooth edges that are short against the
///      other surface's curvature (edge_tolerance) or further apart than smooth_distance. Those of tissue
///      count whichever way they are folded (Surface::set_folds).
/// Of closed surfaces that do not overlap the nearest pair of features is always among them: its normal lies
/// in both cones, which tolerances only widen. They are meant for surfaces at the start of a step, where
/// what a step left of an overlap is small against the edges. A vertex inside takes the nearest face among
/// those it can have come to, judged by its normal cone as far as its edges reach.
/// Dropped as doubtful: points "inside" beyond the rim of an open surface, edge pairs said to penetrate
/// whose points are not inside the other surface.
///
/// Areas: each vertex of A shares its area S_v among the contacts j that weight it by β_jv,
///   S_j = Σ_v S_v β_jv / max(1, Σ_j β_jv),
/// so a vertex of A that touches alone has just its own area, and together the contacts never have more than
/// the area of the vertices they touch. Where A is far coarser than B (a box on a fine surface) its vertices
/// stand for areas as large as its triangles.
///
/// The contacts replace the content of `out`, ascending in their key. Neither the order of triangles nor the
/// common placement of both surfaces changes them, but for round-off. Does not allocate in steady state.
/// A memory, one a pair, makes repeated calls shorter while the surfaces move little; the contacts are the
/// same.
///
/// Source: Johnson & Willemsen 2004, local minimum distances; Talvas et al. 2015, Secs. 3.2 and 4; differs
/// by: all near vertices of A are kept, since the aggregate needs the whole patch, not only its minima.
void detect_contacts(const Surface& a, const Surface& b, const DetectionOptions& options,
                     DetectionWorkspace& workspace, std::vector<ContactPoint>& out,
                     DetectionMemory* memory = nullptr);

}  // namespace softcontact

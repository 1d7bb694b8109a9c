// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <sofa/component/collision/geometry/TriangleCollisionModel.h>
#include <sofa/core/collision/NarrowPhaseDetection.h>
#include <sofa/defaulttype/VecTypes.h>

#include <cstdint>
#include <memory>
#include <softcontact/contact/detection.hpp>
#include <unordered_map>
#include <vector>

namespace softcontact::plugin {

/// Contacts of pairs of triangle surfaces by signed local minimum distances: the core's detection, in SOFA's
/// pipeline.
///
/// A vertex that has gone through the other surface keeps its contact, its normal outwards, where SOFA's own
/// intersection methods know unsigned distances and lose it. An aggregate needs that: its single normal row
/// holds the mean gap, so that single points may lie inside. All contacts of a pair come as pairs of
/// triangles; other collision models are not looked at. Alarm and contact distance are those of the
/// intersection method and the models. The vertices of the surface that AggregateVolume takes for the
/// aggregating one sample the contact: by the rank of its AggregateGroup, then what moves, then the finer.
///
/// Source: softcontact::detect_contacts.
class SOFA_SOFTCONTACT_API SurfaceNarrowPhase : public sofa::core::collision::NarrowPhaseDetection {
public:
    SOFA_CLASS(SurfaceNarrowPhase, sofa::core::collision::NarrowPhaseDetection);

    using TriangleModel =
        sofa::component::collision::geometry::TriangleCollisionModel<sofa::defaulttype::Vec3Types>;

    sofa::Data<SReal> d_maxPenetration;
    sofa::Data<bool> d_freeMotion;

    void addCollisionPair(
        const std::pair<sofa::core::CollisionModel*, sofa::core::CollisionModel*>& pair) override;

protected:
    SurfaceNarrowPhase();

private:
    /// A collision model's surface, and where its features are among the model's triangles.
    struct Entry {
        explicit Entry(TriangleModel& model);
        void move(const TriangleModel& model, bool free);
        /// A triangle of the model that holds the point.
        [[nodiscard]] int triangleOf(const SurfacePoint& point) const;

        Surface surface;
        long step = -1;        ///< in which the surface was last moved
        double spacing = 0.0;  ///< mean area of a vertex [m²]
        double travel = 0.0;   ///< furthest that the free motion of the step takes a vertex [m]
        std::vector<int> of_vertex;
        std::unordered_map<std::uint64_t, int> of_edge;
        std::unordered_map<std::uint64_t, std::vector<int>> of_corners;
    };
    Entry* entry(TriangleModel& model);

    void beginNarrowPhase() override;

    std::unordered_map<const TriangleModel*, std::unique_ptr<Entry>> m_entries;
    std::vector<const TriangleModel*> m_refused;
    DetectionWorkspace m_workspace;
    std::vector<ContactPoint> m_found;
    long m_step = 0;
    bool m_warned = false;
};

}  // namespace softcontact::plugin

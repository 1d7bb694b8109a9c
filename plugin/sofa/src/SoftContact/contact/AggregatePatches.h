// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/Component.h>
#include <SoftContact/contact/AggregateGroup.h>
#include <SoftContact/contact/BodyPair.h>
#include <SoftContact/contact/SurfaceVertices.h>
#include <sofa/type/Vec.h>
#include <sofa/type/vector.h>

#include <memory>
#include <string>
#include <vector>

namespace softcontact::plugin {

/// All aggregate patches of a scene: their memory (frames, warm start, pressures), which outlives SOFA's
/// contacts, and what they did in the last step, as Data. Made at the root by the first AggregateVolume
/// contact where a scene has none; write it into the scene to link to its Data.
class SOFA_SOFTCONTACT_API AggregatePatches : public Component {
public:
    SOFA_CLASS(AggregatePatches, Component);

    template <class T>
    using Output = sofa::Data<sofa::type::vector<T>>;
    using Vec3 = sofa::type::Vec3;

    Output<std::string> d_bodyA, d_bodyB;
    Output<Vec3> d_forces, d_torques, d_centres, d_normals;
    Output<SReal> d_normalForces, d_areas, d_volumes, d_pressureMean, d_pressureMax;
    Output<int> d_sliding, d_contacts;
    Output<Vec3> d_points, d_pointForces;
    Output<SReal> d_pointAreas;
    sofa::Data<int> d_rows, d_contactCount;
    sofa::Data<bool> d_converged, d_solved;

    /// The scene's AggregatePatches; made where there is none.
    static AggregatePatches& of(sofa::core::objectmodel::BaseContext& context);

    /// A pair of bodies; made where there is none, with the second one as A where secondAggregates.
    std::shared_ptr<BodyPair> pair(const Body& first, const Body& second, bool secondAggregates);

    /// All pairs that touch or touched, in the order in which they first did.
    [[nodiscard]] const std::vector<std::shared_ptr<BodyPair>>& pairs() const { return m_pairs; }

    [[nodiscard]] const std::shared_ptr<SurfaceLibrary>& surfaces() const { return m_surfaces; }

    void reset() override;
    void handleEvent(sofa::core::objectmodel::Event* event) override;

protected:
    AggregatePatches();

private:
    void publish();

    std::vector<std::shared_ptr<BodyPair>> m_pairs;  // in the order in which bodies first touched
    std::shared_ptr<SurfaceLibrary> m_surfaces = std::make_shared<SurfaceLibrary>();
};

}  // namespace softcontact::plugin

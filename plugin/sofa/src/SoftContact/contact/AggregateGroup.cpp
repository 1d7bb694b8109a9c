// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/Vectors.h>
#include <SoftContact/contact/AggregateGroup.h>
#include <sofa/core/ObjectFactory.h>

namespace softcontact::plugin {

AggregateGroup::AggregateGroup()
    : d_index(initData(&d_index, sofa::Index(0), "index",
                       "Which rigid frame of the linked state carries this body")),
      d_rank(initData(&d_rank, 0, "rank",
                      "Of two bodies the one of higher rank aggregates: its vertices carry the areas of the "
                      "patch; at equal rank the finer")),
      l_frame(
          initLink("frame",
                   "Rigid3 state that carries this body (a bone, or the rigid body itself). With it the "
                   "pressure follows the free motion of the tissue on the frame and not that of the frame, "
                   "so that a patch does not depend on the time step."))
{
}

void AggregateGroup::init()
{
    Component::init();
    if (hasFrame() && d_index.getValue() >= l_frame->getSize()) {
        msg_error() << "index is " << d_index.getValue() << " but frame '" << l_frame->getPathName()
                    << "' has " << l_frame->getSize() << " frames; the frame is not used";
        l_frame.set(nullptr);
    }
}

AggregateGroup* AggregateGroup::of(const sofa::core::CollisionModel& model)
{
    return model.getContext()->get<AggregateGroup>(sofa::core::objectmodel::BaseContext::SearchUp);
}

int AggregateGroup::rankOf(const sofa::core::CollisionModel& model)
{
    const AggregateGroup* group = of(model);
    return group != nullptr ? group->d_rank.getValue() : 0;
}

Vector3d AggregateGroup::frameVelocity(const Vector3d& point) const
{
    if (!hasFrame()) {
        return Vector3d::Zero();
    }
    const auto index = d_index.getValue();
    const auto& position = l_frame->read(sofa::core::vec_id::read_access::position)->getValue()[index];
    const auto& velocities = l_frame->read(sofa::core::vec_id::read_access::freeVelocity)->getValue();
    if (index >= velocities.size()) {
        return Vector3d::Zero();  // a frame that nothing integrates
    }
    const Vector3d arm = point - vector3(position.getCenter());
    return vector3(getVCenter(velocities[index])) + vector3(getVOrientation(velocities[index])).cross(arm);
}

void registerAggregateGroup(sofa::core::ObjectFactory* factory)
{
    factory->registerObjects(sofa::core::ObjectRegistrationData(
                                 "One body for aggregate contact: all collision models in this node "
                                 "and below share one patch per body they touch.")
                                 .add<AggregateGroup>());
}

}  // namespace softcontact::plugin

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/Component.h>
#include <sofa/core/CollisionModel.h>
#include <sofa/core/behavior/MechanicalState.h>
#include <sofa/defaulttype/RigidTypes.h>

#include <softcontact/types.hpp>

namespace softcontact::plugin {

/// Makes one body of all collision models in its node and below it: a pair of bodies has one patch, however
/// many models they are made of. Without it every pair of collision models has a patch of its own.
class SOFA_SOFTCONTACT_API AggregateGroup : public Component {
public:
    SOFA_CLASS(AggregateGroup, Component);

    using Frame = sofa::core::behavior::MechanicalState<sofa::defaulttype::Rigid3Types>;

    sofa::Data<sofa::Index> d_index;
    sofa::Data<int> d_rank;
    sofa::core::objectmodel::SingleLink<AggregateGroup, Frame,
                                        sofa::core::objectmodel::BaseLink::FLAG_STOREPATH |
                                            sofa::core::objectmodel::BaseLink::FLAG_STRONGLINK>
        l_frame;

    void init() override;

    /// The group of a collision model: the nearest one in its node or above; nullptr for none.
    static AggregateGroup* of(const sofa::core::CollisionModel& model);

    /// Rank of the body of a collision model: its group's, 0 without one.
    static int rankOf(const sofa::core::CollisionModel& model);

    /// Whether pressure follows the motion of the tissue on its frame.
    [[nodiscard]] bool hasFrame() const { return l_frame.get() != nullptr; }

    /// Velocity that the free motion of the frame gives a point [m/s]; zero without a frame.
    [[nodiscard]] Vector3d frameVelocity(const Vector3d& point) const;

protected:
    AggregateGroup();
};

}  // namespace softcontact::plugin

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/contact/AggregateVolumeConstraint.h>
#include <sofa/component/collision/response/contact/BaseUnilateralContactResponse.h>

#include <string>

namespace softcontact::plugin {

/// Contact response AggregateVolume: the contacts of two collision models as one patch.
///
/// In a scene: response="AggregateVolume" in CollisionResponse, or contactResponse="AggregateVolume?mu=0.5"
/// of a collision model, or in the rules of a RuleBasedContactManager; parameters mu, friction, pressure,
/// tol.
template <class Model1, class Model2>
class AggregateVolumeContact
    : public sofa::component::collision::response::contact::BaseUnilateralContactResponse<
          Model1, Model2, AggregateParameters> {
public:
    using Base =
        sofa::component::collision::response::contact::BaseUnilateralContactResponse<Model1, Model2,
                                                                                     AggregateParameters>;
    SOFA_CLASS(SOFA_TEMPLATE2(AggregateVolumeContact, Model1, Model2), Base);

    using CollisionModel1 = Model1;
    using CollisionModel2 = Model2;
    using Intersection = typename Base::Intersection;
    using MechanicalState1 = typename Base::MechanicalState1;
    using MechanicalState2 = typename Base::MechanicalState2;

    sofa::Data<SReal> d_mu;
    sofa::Data<std::string> d_friction, d_pressure, d_patch;
    sofa::Data<SReal> d_patchSize;

    void setDetectionOutputs(typename Base::OutputVector* outputs) override;
    void createResponse(sofa::core::objectmodel::BaseContext* group) override;
    void removeResponse() override;
    void cleanup() override;

    AggregateParameters getParameterFromDatas() const override
    {
        return AggregateParameters(d_mu.getValue());
    }
    void setupConstraint(MechanicalState1* state1, MechanicalState2* state2) override;

protected:
    AggregateVolumeContact() : AggregateVolumeContact(nullptr, nullptr, nullptr) {}
    AggregateVolumeContact(Model1* model1, Model2* model2, Intersection* intersection);

private:
    AggregateVolumeConstraint* constraint()
    {
        return static_cast<AggregateVolumeConstraint*>(this->m_constraint.get());
    }
    void joinBodies();

    bool m_refused = false, m_looked = false;
    std::string m_unknown;  ///< what is wrong with the names of the scene's parameters
};

}  // namespace softcontact::plugin

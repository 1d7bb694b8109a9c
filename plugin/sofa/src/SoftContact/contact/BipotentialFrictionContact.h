// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/contact/BipotentialFrictionConstraint.h>
#include <sofa/component/collision/response/contact/BaseUnilateralContactResponse.h>

#include <string>

namespace softcontact::plugin {

/// Contact response BipotentialFriction: point contacts as FrictionContactConstraint makes them, solved by
/// Uzawa's algorithm on the bipotential.
///
/// In a scene: response="BipotentialFriction" in CollisionResponse, or
/// contactResponse="BipotentialFriction?mu=0.5&scheme=global" of a collision model, or in the rules of a
/// RuleBasedContactManager; parameters mu, scheme, epsilon2, rho, maxLocalIterations, tol.
template <class Model1, class Model2>
class BipotentialFrictionContact
    : public sofa::component::collision::response::contact::BaseUnilateralContactResponse<
          Model1, Model2,
          sofa::component::constraint::lagrangian::model::UnilateralLagrangianContactParameters> {
public:
    using Parameters = sofa::component::constraint::lagrangian::model::UnilateralLagrangianContactParameters;
    using Base = sofa::component::collision::response::contact::BaseUnilateralContactResponse<Model1, Model2,
                                                                                              Parameters>;
    SOFA_CLASS(SOFA_TEMPLATE2(BipotentialFrictionContact, Model1, Model2), Base);

    using CollisionModel1 = Model1;
    using CollisionModel2 = Model2;
    using Intersection = typename Base::Intersection;
    using MechanicalState1 = typename Base::MechanicalState1;
    using MechanicalState2 = typename Base::MechanicalState2;

    sofa::Data<SReal> d_mu;
    sofa::Data<std::string> d_scheme;
    sofa::Data<SReal> d_epsilon2, d_rho;
    sofa::Data<int> d_maxLocalIterations;

    void setDetectionOutputs(typename Base::OutputVector* outputs) override;
    void createResponse(sofa::core::objectmodel::BaseContext* group) override;
    Parameters getParameterFromDatas() const override { return {d_mu.getValue()}; }
    void setupConstraint(MechanicalState1* state1, MechanicalState2* state2) override;

protected:
    BipotentialFrictionContact() : BipotentialFrictionContact(nullptr, nullptr, nullptr) {}
    BipotentialFrictionContact(Model1* model1, Model2* model2, Intersection* intersection);

private:
    bool m_refused = false, m_looked = false;
    std::string m_unknown;  ///< what is wrong with the names of the scene's parameters
};

}  // namespace softcontact::plugin

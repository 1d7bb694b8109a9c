// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/contact/BipotentialFrictionContact.h>
#include <SoftContact/contact/DetectedContacts.h>
#include <SoftContact/contact/GivenContacts.h>
#include <SoftContact/contact/ResponseParameters.h>

#include <sofa/component/collision/response/contact/BaseUnilateralContactResponse.inl>

namespace softcontact::plugin {

template <class Model1, class Model2>
BipotentialFrictionContact<Model1, Model2>::BipotentialFrictionContact(Model1* model1, Model2* model2,
                                                                       Intersection* intersection)
    : Base(model1, model2, intersection),
      d_mu(initData(&d_mu, SReal(0.8), "mu", "Friction coefficient (0 for frictionless contact)")),
      d_scheme(initData(&d_scheme, std::string("local"), "scheme", BipotentialLaw::scheme_help)),
      d_epsilon2(initData(&d_epsilon2, SReal(0), "epsilon2", BipotentialLaw::epsilon2_help)),
      d_rho(initData(&d_rho, SReal(0), "rho", BipotentialLaw::rho_help)),
      d_maxLocalIterations(
          initData(&d_maxLocalIterations, 1000, "maxLocalIterations", BipotentialLaw::max_local_help))
{
}

template <class Model1, class Model2>
void BipotentialFrictionContact<Model1, Model2>::setupConstraint(MechanicalState1* state1,
                                                                 MechanicalState2* state2)
{
    this->m_constraint = sofa::core::objectmodel::New<BipotentialFrictionConstraint>(state1, state2);
}

template <class Model1, class Model2>
void BipotentialFrictionContact<Model1, Model2>::setDetectionOutputs(typename Base::OutputVector* outputs)
{
    Base::setDetectionOutputs(outputs);
    drop_empty_outputs(this->contacts);
}

template <class Model1, class Model2>
void BipotentialFrictionContact<Model1, Model2>::createResponse(sofa::core::objectmodel::BaseContext* group)
{
    if (!m_looked) {
        m_unknown =
            unknown_parameter(*this->model1, *this->model2, "BipotentialFriction",
                              {"mu", "scheme", "epsilon2", "rho", "maxLocalIterations", "tol"}, {"scheme"});
        m_looked = true;
    }
    BipotentialLaw law;
    std::string error = m_unknown;
    if (error.empty()) {
        error = BipotentialLaw::read(d_mu.getValue(), d_scheme.getValue(), d_epsilon2.getValue(),
                                     d_rho.getValue(), d_maxLocalIterations.getValue(),
                                     this->d_tol.getValue(), law);
    }
    if (error.empty() && group != nullptr) {
        error = wrong_solver(*group);
    }
    if (!error.empty()) {
        if (!m_refused) {
            msg_error() << "BipotentialFriction between " << this->model1->getPathName() << " and "
                        << this->model2->getPathName() << ": " << error << "; no contact is made";
        }
        m_refused = true;
        return;
    }
    Base::createResponse(group);
    if (this->m_constraint) {
        static_cast<BipotentialFrictionConstraint*>(this->m_constraint.get())->setLaw(law);
    }
}

}  // namespace softcontact::plugin

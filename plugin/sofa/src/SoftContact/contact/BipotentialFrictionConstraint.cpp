// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/contact/BipotentialFrictionConstraint.h>
#include <SoftContact/contact/GivenContacts.h>
#include <SoftContact/friction/BipotentialFriction.h>
#include <SoftContact/loop/TwoPassStep.h>
#include <sofa/component/constraint/lagrangian/solver/GenericConstraintSolver.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/simulation/AnimateBeginEvent.h>
#include <sofa/simulation/AnimateEndEvent.h>
#include <sofa/simulation/events/SolveConstraintSystemEndEvent.h>

#include <algorithm>
#include <cmath>

namespace softcontact::plugin {

using sofa::core::ConstraintParams;
using Solver = sofa::component::constraint::lagrangian::solver::GenericConstraintSolver;

BipotentialFrictionConstraint::BipotentialFrictionConstraint(MechanicalState* object1,
                                                             MechanicalState* object2)
    : Base(object1, object2),
      d_indices1(
          initData(&d_indices1, "indices1", "Points of object1 that touch the points indices2 of object2")),
      d_indices2(initData(&d_indices2, "indices2", "Points of object2, as many as indices1")),
      d_normals(initData(&d_normals, "normals",
                         "Unit normal of each contact, from object1 to object2; one for all")),
      d_contactDistance(
          initData(&d_contactDistance, SReal(0), "contactDistance", "Distance that is kept [m]")),
      d_mu(initData(&d_mu, SReal(0.8), "mu", "Friction coefficient, >= 0")),
      d_scheme(initData(&d_scheme, std::string("local"), "scheme", BipotentialLaw::scheme_help)),
      d_epsilon2(initData(&d_epsilon2, SReal(0), "epsilon2", BipotentialLaw::epsilon2_help)),
      d_rho(initData(&d_rho, SReal(0), "rho", BipotentialLaw::rho_help)),
      d_maxLocalIterations(
          initData(&d_maxLocalIterations, 1000, "maxLocalIterations", BipotentialLaw::max_local_help)),
      d_tol(initData(&d_tol, SReal(0), "tol", BipotentialLaw::tolerance_help)),
      d_converged(initData(&d_converged, true, "converged",
                           "False where the constraint solver ended the last solve short of its tolerance")),
      d_residual(initData(&d_residual, SReal(0), "residual",
                          "Largest |dr|/rho of a contact in the last sweep, in the unit of the violation"))
{
    f_listening.setValue(true);
    d_converged.setReadOnly(true);
    d_residual.setReadOnly(true);
}

std::string BipotentialFrictionConstraint::wrongContacts()
{
    std::string error = wrong_given_contacts({d_indices1.getValue(), d_indices2.getValue(),
                                              d_normals.getValue(), d_contactDistance.getValue(),
                                              this->mstate1->getSize(), this->mstate2->getSize()});
    if (error.empty()) {
        error =
            BipotentialLaw::read(d_mu.getValue(), d_scheme.getValue(), d_epsilon2.getValue(),
                                 d_rho.getValue(), d_maxLocalIterations.getValue(), d_tol.getValue(), m_law);
    }
    return error.empty() ? wrong_solver(*this->getContext()) : error;
}

void BipotentialFrictionConstraint::readContacts(const DataVecCoord& x1, const DataVecCoord& x2)
{
    const auto& indices1 = d_indices1.getValue();
    const auto& indices2 = d_indices2.getValue();
    const auto& normals = d_normals.getValue();
    const auto& at1 = x1.getValue();
    const auto& at2 = x2.getValue();
    // Data may change at any time, and so may the objects' sizes.
    const std::string error = wrongContacts();
    msg_error_when(!error.empty() && error != m_told) << error << "; no contact is made";
    m_told = error;
    this->clear(static_cast<int>(indices1.size()));
    if (!error.empty()) {
        return;
    }
    for (std::size_t i = 0; i < indices1.size(); ++i) {
        auto normal = normals.size() == 1 ? normals[0] : normals[i];
        normal.normalize();
        // P and Q at hand: the free positions that the short form of addContact reads are not there in every
        // order.
        this->addContact(m_law.mu, normal, at2[indices2[i]], at1[indices1[i]], d_contactDistance.getValue(),
                         static_cast<int>(indices1[i]), static_cast<int>(indices2[i]), at2[indices2[i]],
                         at1[indices1[i]], static_cast<long>(i), static_cast<PersistentID>(i));
    }
}

void BipotentialFrictionConstraint::mendTangents()
{
    for (Contact& contact : this->contacts) {
        if (std::isfinite(contact.s.norm2())) {
            continue;
        }
        const auto& n = contact.norm;
        int axis = std::abs(n[1]) < std::abs(n[0]) ? 1 : 0;
        axis = std::abs(n[2]) < std::abs(n[axis]) ? 2 : axis;
        Deriv side;
        side[axis] = 1;
        contact.s = cross(n, side);
        contact.s.normalize();
        contact.t = cross(-n, contact.s);
    }
}

void BipotentialFrictionConstraint::buildConstraintMatrix(const ConstraintParams* cParams,
                                                          DataMatrixDeriv& c1, DataMatrixDeriv& c2,
                                                          unsigned int& cIndex, const DataVecCoord& x1,
                                                          const DataVecCoord& x2)
{
    m_standalone = m_standalone || !(d_indices1.getValue().empty() && d_indices2.getValue().empty());
    if (m_standalone && TwoPassStep::passOf(this->getContext()) != TwoPassStep::Pass::position) {
        readContacts(x1, x2);
    }
    mendTangents();
    Base::buildConstraintMatrix(cParams, c1, c2, cIndex, x1, x2);
}

double BipotentialFrictionConstraint::demandedOf(std::size_t rows) const
{
    if (m_law.tolerance > 0.0) {
        return m_law.tolerance;
    }
    const auto* solver = this->getContext()->get<Solver>(sofa::core::objectmodel::BaseContext::SearchUp);
    if (solver == nullptr) {
        return 0.0;
    }
    const bool scaled = solver->d_scaleTolerance.getValue() && !solver->d_allVerified.getValue();
    return solver->d_tolerance.getValue() * (scaled ? static_cast<double>(rows) : 1.0);
}

void BipotentialFrictionConstraint::getConstraintResolution(
    const ConstraintParams* cParams, std::vector<sofa::core::behavior::ConstraintResolution*>& resTab,
    unsigned int& offset)
{
    if (TwoPassStep::passOf(this->getContext()) == TwoPassStep::Pass::position) {
        Base::getConstraintResolution(cParams, resTab, offset);  // the loop lets the normal rows act only
        return;
    }
    *m_record = {};
    BipotentialLaw law = m_law;
    law.tolerance = demandedOf(resTab.size());
    for (const Contact& contact : this->contacts) {
        law.mu = contact.parameters.mu;
        resTab[offset] = new BipotentialFriction(law, m_record);  // the solver deletes it
        offset += resTab[offset]->getNbLines();
    }
}

void BipotentialFrictionConstraint::handleEvent(sofa::core::objectmodel::Event* event)
{
    if (sofa::simulation::SolveConstraintSystemEndEvent::checkEventType(event) ||
        sofa::simulation::AnimateEndEvent::checkEventType(event)) {
        d_converged.setValue(m_record->converged);
        d_residual.setValue(m_record->residual);
    }
    Base::handleEvent(event);
}

void registerBipotentialFrictionConstraint(sofa::core::ObjectFactory* factory)
{
    factory->registerObjects(
        sofa::core::ObjectRegistrationData("Point contacts with Coulomb friction by the bipotential laws, "
                                           "solved by local or global Uzawa. Made by the "
                                           "contact response BipotentialFriction; in a scene of its own it "
                                           "takes its contacts from its Data.")
            .add<BipotentialFrictionConstraint>());
}

}  // namespace softcontact::plugin

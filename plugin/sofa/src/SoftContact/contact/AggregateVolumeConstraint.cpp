// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/Vectors.h>
#include <SoftContact/contact/AggregateVolumeConstraint.h>
#include <SoftContact/contact/GivenContacts.h>
#include <SoftContact/contact/PatchOptions.h>
#include <sofa/core/ConstraintParams.h>
#include <sofa/core/ObjectFactory.h>

#include <algorithm>
#include <cmath>
#include <sofa/component/constraint/lagrangian/model/BaseContactLagrangianConstraint.inl>

namespace softcontact::plugin {

using sofa::core::ConstraintOrder;
using sofa::core::ConstraintParams;
using Pass = TwoPassStep::Pass;
namespace read_access = sofa::core::vec_id::read_access;

AggregateVolumeConstraint::AggregateVolumeConstraint(MechanicalState* object1, MechanicalState* object2)
    : Base(object1, object2),
      d_indices1(
          initData(&d_indices1, "indices1", "Points of object1 that touch the points indices2 of object2")),
      d_indices2(initData(&d_indices2, "indices2", "Points of object2, as many as indices1")),
      d_normals(initData(&d_normals, "normals",
                         "Unit normal of each contact, from object1 to object2; one for all")),
      d_areas(initData(&d_areas, "contactAreas", "Area of each contact [m2]; empty: all alike")),
      d_contactDistance(
          initData(&d_contactDistance, SReal(0), "contactDistance", "Distance that is kept [m]")),
      d_mu(initData(&d_mu, SReal(0.8), "mu", "Friction coefficient, >= 0")),
      d_friction(initData(&d_friction, std::string("contensou"), "friction", PatchOptions::friction_help)),
      d_pressure(initData(&d_pressure, std::string("nonuniform"), "pressure", PatchOptions::pressure_help)),
      d_patch(initData(&d_patch, std::string("moments"), "patch", PatchOptions::patch_help))
{
}

AggregateVolumeConstraint::~AggregateVolumeConstraint()
{
    leave();
}

std::string AggregateVolumeConstraint::wrongContacts() const
{
    const auto& areas = d_areas.getValue();
    if (!areas.empty() && areas.size() != d_indices1.getValue().size()) {
        return "contactAreas has " + std::to_string(areas.size()) +
               " numbers; give none, or one a contact (" + std::to_string(d_indices1.getValue().size()) + ")";
    }
    if (!std::all_of(areas.begin(), areas.end(), [](SReal a) { return a >= 0 && std::isfinite(a); })) {
        return "contactAreas holds a number that is no area; give finite numbers >= 0 [m2]";
    }
    return wrong_given_contacts({d_indices1.getValue(), d_indices2.getValue(), d_normals.getValue(),
                                 d_contactDistance.getValue(), this->mstate1->getSize(),
                                 this->mstate2->getSize()});
}

void AggregateVolumeConstraint::standAlone()
{
    m_standalone = true;
    PairMembership membership;
    membership.bodies = AggregatePatches::of(*this->getContext())
                            .pair({this->getPathName() + ":object1", this},
                                  {this->getPathName() + ":object2", &d_indices2}, false);
    membership.models = this->getPathName();
    join(std::move(membership));
}

void AggregateVolumeConstraint::join(PairMembership membership)
{
    leave();
    m_pair = std::move(membership);
    m_ordinal = m_pair.bodies->ordinal(m_pair.models);
    m_pair.bodies->members.push_back(this);
}

void AggregateVolumeConstraint::leave()
{
    if (m_pair.bodies != nullptr) {
        std::erase(m_pair.bodies->members, this);
        m_pair.bodies = nullptr;
    }
}

void AggregateVolumeConstraint::setSites(std::vector<ContactSite> sites1, std::vector<ContactSite> sites2)
{
    m_sites1 = std::move(sites1);
    m_sites2 = std::move(sites2);
}

bool AggregateVolumeConstraint::leads() const
{
    return m_pair.bodies != nullptr && m_pair.bodies->members.front() == this;
}

std::string AggregateVolumeConstraint::readContacts()
{
    this->clear();
    setSites({}, {});
    const auto& indices1 = d_indices1.getValue();
    const auto& indices2 = d_indices2.getValue();
    const auto& normals = d_normals.getValue();
    if (indices1.empty() && indices2.empty()) {
        return {};
    }
    std::string error = wrongContacts();
    if (error.empty()) {
        error = PatchOptions::read(d_mu.getValue(), d_friction.getValue(), d_pressure.getValue(),
                                   d_patch.getValue(), m_pair.settings);
    }
    if (!error.empty()) {
        return error;
    }
    const auto& x1 = this->mstate1->read(read_access::position)->getValue();
    const auto& x2 = this->mstate2->read(read_access::position)->getValue();
    this->clear(static_cast<int>(indices1.size()));
    std::vector<ContactSite> sites1, sites2;
    for (std::size_t i = 0; i < indices1.size(); ++i) {
        auto normal = normals.size() == 1 ? normals[0] : normals[i];
        normal.normalize();
        const int a = static_cast<int>(indices1[i]), b = static_cast<int>(indices2[i]);
        // P and Q at hand: the free positions that the short form of addContact reads are not there in every
        // order.
        this->addContact(AggregateParameters(m_pair.settings.mu), normal, x2[indices2[i]], x1[indices1[i]],
                         d_contactDistance.getValue(), a, b, x2[indices2[i]], x1[indices1[i]]);
        sites1.push_back({SurfacePoint{{a, a, a}, Vector3d::UnitX()}, a});
        sites2.push_back({SurfacePoint{{b, b, b}, Vector3d::UnitX()}, b});
    }
    setSites(std::move(sites1), std::move(sites2));
    return {};
}

void AggregateVolumeConstraint::assemble(const ConstraintParams* cParams)
{
    std::vector<ContactPoint> points;
    std::vector<PatchContact> contacts;
    PatchSettings settings = m_pair.settings;
    for (const AggregateVolumeConstraint* member : m_pair.bodies->members) {
        member->gather(cParams, points, contacts);
        for (const AggregateGroup* group : {member->m_pair.group1, member->m_pair.group2}) {
            if (group != nullptr && group->hasFrame()) {
                settings.tissue = true;
            }
        }
    }
    settings.step = this->getContext()->getDt();
    m_pair.bodies->assemble(std::move(points), std::move(contacts), settings);
}

int AggregateVolumeConstraint::rowsOf(const PatchRecord& patch) const
{
    return m_pass == Pass::position ? patch.cornerRows() : patch.rows();
}

void AggregateVolumeConstraint::buildConstraintMatrix(const ConstraintParams* cParams,
                                                      sofa::core::MultiMatrixDerivId cId,
                                                      unsigned int& cIndex)
{
    m_rows = 0;
    m_pass = TwoPassStep::passOf(this->getContext());
    if (m_pair.bodies == nullptr && !(d_indices1.getValue().empty() && d_indices2.getValue().empty())) {
        standAlone();  // no contact response has made it
    }
    if (m_standalone && m_pass != Pass::position) {
        // Data may change at any time, and so may the objects' sizes.
        const std::string error = readContacts();
        msg_error_when(!error.empty() && error != m_told) << error << "; no contact is made";
        m_told = error;
    }
    if (!leads()) {
        return;
    }
    if (m_pass != Pass::position) {
        for (AggregateVolumeConstraint* member : m_pair.bodies->members) {
            member->m_pass = m_pass;
        }
        assemble(cParams);
    }
    m_line = cIndex;
    for (const PatchRecord* patch : m_pair.bodies->active()) {
        for (int row = 0; row < rowsOf(*patch); ++row) {
            writeRow(*patch, row, m_line + static_cast<unsigned int>(m_rows++), cId);
        }
    }
    cIndex += static_cast<unsigned int>(m_rows);
}

void AggregateVolumeConstraint::writeRow(const PatchRecord& patch, int row, unsigned int line,
                                         sofa::core::MultiMatrixDerivId& cId) const
{
    for (std::size_t i = 0; i < patch.contacts().size(); ++i) {
        const Vector3d direction = m_pass == Pass::position ? patch.cornerRow(row, i) : patch.row(row, i);
        if (direction.isZero(0.0)) {
            continue;
        }
        const AggregateVolumeConstraint& member = *patch.contacts()[i].member;
        const Contact& c = member.contacts[patch.contacts()[i].index];
        const auto on1 = vec3(member.sideSign() * direction);
        // addCol: vertices may carry several contacts, and both objects may be one.
        auto j1 = sofa::helper::getWriteAccessor(*cId[member.mstate1.get()].write());
        j1->writeLine(line).addCol(c.m1, on1);
        auto j2 = sofa::helper::getWriteAccessor(*cId[member.mstate2.get()].write());
        j2->writeLine(line).addCol(c.m2, -on1);
    }
}

void AggregateVolumeConstraint::getConstraintViolation(const ConstraintParams* cParams,
                                                       sofa::linearalgebra::BaseVector* v)
{
    m_free.clear();
    if (m_rows == 0) {
        return;
    }
    auto line = static_cast<sofa::linearalgebra::BaseVector::Index>(m_line);
    for (const PatchRecord* patch : m_pair.bodies->active()) {
        m_free.push_back(freeRows(cParams, *patch));
        for (const double violation : m_free.back()) {
            v->set(line++, violation);
        }
    }
}

void AggregateVolumeConstraint::getConstraintResolution(
    const ConstraintParams* /*cParams*/, std::vector<sofa::core::behavior::ConstraintResolution*>& resTab,
    unsigned int& offset)
{
    if (m_rows == 0) {
        return;
    }
    for (std::size_t i = 0; i < m_pair.bodies->active().size(); ++i) {
        PatchRecord& patch = *m_pair.bodies->active()[i];
        if (m_pass == Pass::position) {
            for (int corner = 0; corner < patch.cornerRows(); ++corner) {
                BlockLaw normal_only;
                normal_only.rows = 1;
                resTab[offset] = new ContensouFriction(std::move(normal_only), {}, nullptr);
                resTab[offset++]->setTolerance(this->customTolerance);
            }
            continue;
        }
        resTab[offset] = patch.makeResolution(m_free[i]).release();  // the solver deletes it
        resTab[offset]->setTolerance(this->customTolerance);
        offset += static_cast<unsigned int>(patch.rows());
    }
}

void AggregateVolumeConstraint::getConstraintInfo(const ConstraintParams* /*cParams*/,
                                                  VecConstraintBlockInfo& blocks, VecPersistentID& ids)
{
    if (m_rows == 0) {
        return;
    }
    auto line = static_cast<int>(m_line);
    for (const PatchRecord* patch : m_pair.bodies->active()) {
        ConstraintBlockInfo info;
        info.parent = this;
        info.const0 = line;
        info.nbLines = rowsOf(*patch);
        info.hasId = true;
        info.offsetId = static_cast<int>(ids.size());
        info.nbGroups = 1;
        ids.push_back(static_cast<PersistentID>(patch->points().front().key));
        blocks.push_back(info);
        line += info.nbLines;
    }
}

void registerAggregateVolumeConstraint(sofa::core::ObjectFactory* factory)
{
    factory->registerObjects(
        sofa::core::ObjectRegistrationData("All contact points between two bodies as one patch: 6 constraint "
                                           "rows (normal, two tangents, torsion, two moments) with "
                                           "Coulomb-Contensou friction. Made by the contact response "
                                           "AggregateVolume; in a scene of its own it takes "
                                           "its contacts from its Data.")
            .add<AggregateVolumeConstraint>());
}

}  // namespace softcontact::plugin

template class sofa::component::constraint::lagrangian::model::BaseContactLagrangianConstraint<
    sofa::defaulttype::Vec3Types, softcontact::plugin::AggregateParameters>;

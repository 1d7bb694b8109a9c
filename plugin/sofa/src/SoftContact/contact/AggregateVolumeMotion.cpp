// SPDX-License-Identifier: LGPL-2.1-or-later
// What the free motion does to the contacts of an AggregateVolumeConstraint: gaps, slip, and the rows'
// violation.
#include <SoftContact/Vectors.h>
#include <SoftContact/contact/AggregateVolumeConstraint.h>
#include <sofa/core/ConstraintParams.h>

#include <algorithm>
#include <cmath>

namespace softcontact::plugin {

using sofa::core::ConstraintOrder;
using sofa::core::ConstraintParams;
using Pass = TwoPassStep::Pass;
namespace read_access = sofa::core::vec_id::read_access;

namespace {

/// Fraction of a step's slip that happens in contact, from the gap before and after the free motion, as
/// SOFA's own point contacts have it, with their tolerances.
double slip_in_contact(double start, double end, double travel)
{
    if (std::abs(start) < 1e-5 * travel && std::abs(end) < 1e-5 * travel) {
        return 1.0;
    }
    if (!(std::abs(start - end) > 1e-3 * start)) {
        return 1.0;
    }
    const double time = start / (start - end);
    return time > 0.0 && time < 1.0 ? 1.0 - time : end < 0.0 ? 1.0 : 0.0;
}

}  // namespace

bool AggregateVolumeConstraint::byVelocity(const ConstraintParams* cParams)
{
    return cParams->constOrder() == ConstraintOrder::VEL || cParams->constOrder() == ConstraintOrder::ACC;
}

AggregateVolumeConstraint::FreeMotion AggregateVolumeConstraint::freeMotion(const ConstraintParams* cParams,
                                                                            const Contact& c) const
{
    const Vector3d normal = vector3(c.norm);
    FreeMotion motion;
    if (byVelocity(cParams)) {
        const double dt = this->getContext()->getDt();
        const auto& v1 = cParams->readV(this->mstate1.get())->getValue();
        const auto& v2 = cParams->readV(this->mstate2.get())->getValue();
        const Vector3d velocity = vector3(v2[c.m2] - v1[c.m1]);  // object 2 against object 1
        motion.gap = gapNow(cParams, c) + dt * normal.dot(velocity);
        motion.slip = -sideSign() * velocity;
        return motion;
    }
    const auto& x1 = cParams->readX(this->mstate1.get())->getValue();
    const auto& x2 = cParams->readX(this->mstate2.get())->getValue();
    const Vector3d dP = vector3(x2[c.m2] - c.P), dQ = vector3(x1[c.m1] - c.Q);
    motion.gap = normal.dot(vector3(x2[c.m2] - x1[c.m1])) - c.contactDistance;
    motion.slip = -sideSign() * (dP - dQ);
    motion.travel = dP.norm() + dQ.norm();
    return motion;
}

double AggregateVolumeConstraint::gapNow(const ConstraintParams* cParams, const Contact& c) const
{
    const bool moved = m_pass == Pass::position && !byVelocity(cParams);
    const auto& x1 = moved ? cParams->readX(this->mstate1.get())->getValue()
                           : this->mstate1->read(read_access::position)->getValue();
    const auto& x2 = moved ? cParams->readX(this->mstate2.get())->getValue()
                           : this->mstate2->read(read_access::position)->getValue();
    return vector3(c.norm).dot(vector3(x2[c.m2] - x1[c.m1])) - c.contactDistance;
}

void AggregateVolumeConstraint::gather(const ConstraintParams* cParams, std::vector<ContactPoint>& points,
                                       std::vector<PatchContact>& contacts) const
{
    const double dt = this->getContext()->getDt();
    // Where the step starts: contacts may have been found elsewhere, at the free positions.
    const auto& x1 = this->mstate1->read(read_access::position)->getValue();
    const auto& x2 = this->mstate2->read(read_access::position)->getValue();
    for (std::size_t i = 0; i < this->contacts.size(); ++i) {
        const Contact& c = this->contacts[i];
        const Vector3d at1 = vector3(x1[c.m1]), at2 = vector3(x2[c.m2]);
        const ContactSite& site1 = m_sites1[i];
        const ContactSite& site2 = m_sites2[i];
        ContactPoint point;
        point.a = (m_pair.first ? site1 : site2).point;
        point.b = (m_pair.first ? site2 : site1).point;
        point.p = m_pair.first ? at1 : at2;
        point.q = m_pair.first ? at2 : at1;
        point.normal = -sideSign() * vector3(c.norm);  // SOFA's points from object 1 to object 2
        point.gap = freeMotion(cParams, c).gap;
        if (m_standalone && !d_areas.getValue().empty()) {
            point.area = d_areas.getValue()[i];
        }
        // A vertex of A keeps its key while it slides over the other body.
        Index heaviest = 0;
        const bool at_vertex = point.a.weights.maxCoeff(&heaviest) > 1.0 - 1e-6;
        const int feature_a = at_vertex ? point.a.vertices[static_cast<std::size_t>(heaviest)]
                                        : (m_pair.first ? site1 : site2).element;
        const int feature_b = at_vertex ? 0 : (m_pair.first ? site2 : site1).element + 1;
        point.key = (m_ordinal << 56) | (static_cast<std::uint64_t>(feature_a) << 28) |
                    static_cast<std::uint64_t>(feature_b);
        PatchContact contact;
        contact.member = this;
        contact.index = i;
        contact.surface = m_pair.surface;
        contact.start_gap = vector3(c.norm).dot(at2 - at1) - c.contactDistance;
        contact.tissue_gap = point.gap;
        if (m_pair.group1 != nullptr) {
            contact.tissue_gap += dt * vector3(c.norm).dot(m_pair.group1->frameVelocity(at1));
        }
        if (m_pair.group2 != nullptr) {
            contact.tissue_gap -= dt * vector3(c.norm).dot(m_pair.group2->frameVelocity(at2));
        }
        points.push_back(point);
        contacts.push_back(contact);
    }
}

VectorXd AggregateVolumeConstraint::freeRows(const ConstraintParams* cParams, const PatchRecord& patch) const
{
    const double dt = this->getContext()->getDt();
    // Gaps of the contacts, fitted by those of the normal row and of the moments' rows.
    const auto fitted = [&patch](const auto& gap_at) {
        PatchGap gap = PatchGap::Zero();
        for (std::size_t i = 0; i < patch.contacts().size(); ++i) {
            const Vector3d apart = gap_at(patch.contacts()[i]) * patch.points()[i].normal;
            gap[0] += patch.row(0, i).dot(apart);
            for (int k = 0; k < patch.tilts(); ++k) {
                gap[1 + k] += patch.row(patch.rows() - patch.tilts() + k, i).dot(apart);
            }
        }
        return gap;
    };
    if (m_pass == Pass::position) {
        const PatchGap gap = fitted([&](const PatchContact& contact) {
            return contact.member->gapNow(cParams, contact.member->contacts[contact.index]);
        });
        VectorXd corners(patch.cornerRows());
        for (int corner = 0; corner < corners.size(); ++corner) {
            corners[corner] =
                patch.tilts() > 0 ? patch.patch().corner_gap(static_cast<std::size_t>(corner), gap) : gap[0];
        }
        return corners;
    }
    VectorXd free = VectorXd::Zero(patch.rows());
    double travel = 0.0;
    for (std::size_t i = 0; i < patch.contacts().size(); ++i) {
        const PatchContact& contact = patch.contacts()[i];
        const Contact& c = contact.member->contacts[contact.index];
        const FreeMotion motion = contact.member->freeMotion(cParams, c);
        travel += patch.patch().shares[i] * motion.travel;
        for (int row = 0; row < patch.rows(); ++row) {
            free[row] += patch.row(row, i).dot(motion.slip);
        }
    }
    const int tilts = patch.tilts();
    const PatchGap start = fitted([](const PatchContact& contact) { return contact.start_gap; });
    if (m_pass == Pass::velocity) {
        // Gaps may close, but do not open by themselves.
        const PatchGap closable = patch.patch().closable_gap(start);
        free[0] += closable[0] / dt;
        free.tail(tilts) += closable.segment(1, tilts) / dt;
        return free;
    }
    const PatchGap end = fitted([&](const PatchContact& contact) {
        return contact.member->freeMotion(cParams, contact.member->contacts[contact.index]).gap;
    });
    const double unit = byVelocity(cParams) ? dt : 1.0;
    free[0] = end[0] / unit;
    free.tail(tilts) = end.segment(1, tilts) / unit;
    if (!byVelocity(cParams)) {
        // The patch touches as a whole: what its lifted points would slip before they touch is no free slip.
        free.segment(1, patch.rows() - 1 - tilts) *= slip_in_contact(start[0], end[0], travel);
    }
    return free;
}

}  // namespace softcontact::plugin

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/contact/AggregateVolumeContact.h>
#include <SoftContact/contact/ContactSites.h>
#include <SoftContact/contact/DetectedContacts.h>
#include <SoftContact/contact/GivenContacts.h>
#include <SoftContact/contact/PatchOptions.h>
#include <SoftContact/contact/ResponseParameters.h>

#include <sofa/component/collision/response/contact/BaseUnilateralContactResponse.inl>

namespace softcontact::plugin {

template <class Model1, class Model2>
AggregateVolumeContact<Model1, Model2>::AggregateVolumeContact(Model1* model1, Model2* model2,
                                                               Intersection* intersection)
    : Base(model1, model2, intersection),
      d_mu(initData(&d_mu, SReal(0.8), "mu", "Friction coefficient (0 for frictionless contact)")),
      d_friction(initData(&d_friction, std::string("contensou"), "friction", PatchOptions::friction_help)),
      d_pressure(initData(&d_pressure, std::string("nonuniform"), "pressure", PatchOptions::pressure_help)),
      d_patch(initData(&d_patch, std::string("moments"), "patch", PatchOptions::patch_help)),
      d_patchSize(initData(&d_patchSize, SReal(0), "patchSize", PatchOptions::patch_size_help))
{
}

template <class Model1, class Model2>
void AggregateVolumeContact<Model1, Model2>::setupConstraint(MechanicalState1* state1,
                                                             MechanicalState2* state2)
{
    this->m_constraint = sofa::core::objectmodel::New<AggregateVolumeConstraint>(state1, state2);
}

template <class Model1, class Model2>
void AggregateVolumeContact<Model1, Model2>::joinBodies()
{
    PatchSettings settings;
    if (!m_looked) {
        m_unknown = unknown_parameter(*this->model1, *this->model2, "AggregateVolume",
                                      {"mu", "friction", "pressure", "patch", "patchSize", "tol"},
                                      {"friction", "pressure", "patch"});
        if (m_unknown.empty()) {
            m_unknown = wrong_solver(*this->model1->getContext());
        }
        m_looked = true;
    }
    std::string error = m_unknown;
    if (error.empty()) {
        error = PatchOptions::read(d_mu.getValue(), d_friction.getValue(), d_pressure.getValue(),
                                   d_patch.getValue(), settings);
    }
    if (error.empty() && !(d_patchSize.getValue() >= 0)) {
        error =
            "patchSize is " + std::to_string(d_patchSize.getValue()) + " m; it must be >= 0 (0: automatic)";
    }
    if (!error.empty()) {
        if (!m_refused) {
            msg_error() << "AggregateVolume between " << this->model1->getPathName() << " and "
                        << this->model2->getPathName() << ": " << error << "; no contact is made";
        }
        m_refused = true;
        return;
    }
    AggregatePatches& patches = AggregatePatches::of(*this->model1->getContext());
    AggregateGroup* group1 = AggregateGroup::of(*this->model1);
    AggregateGroup* group2 = AggregateGroup::of(*this->model2);
    const std::string path1 = this->model1->getPathName(), path2 = this->model2->getPathName();
    const auto body = [](const AggregateGroup* group, const sofa::core::CollisionModel& model) {
        return group != nullptr ? Body{group->getContext()->getPathName(), group}
                                : Body{model.getPathName(), &model};
    };
    const Body body1 = body(group1, *this->model1), body2 = body(group2, *this->model2);
    const auto size = [&](const AggregateGroup* group) {
        const bool one =
            group != nullptr && d_patchSize.getValue() == 0;  // a group is one patch, unless told otherwise
        return one ? SurfaceLibrary::whole : d_patchSize.getValue();
    };
    const SurfaceVertices& surface1 = patches.surfaces()->of(*this->model1, size(group1));
    const SurfaceVertices& surface2 = patches.surfaces()->of(*this->model2, size(group2));
    // What stands still does not aggregate. The side whose vertices are tested samples the contact; else the
    // finer mesh does.
    constexpr bool points1 = is_point_model<Model1>, points2 = is_point_model<Model2>;
    const bool moves1 = this->model1->isSimulated(), moves2 = this->model2->isSimulated();
    const int rank1 = AggregateGroup::rankOf(*this->model1), rank2 = AggregateGroup::rankOf(*this->model2);
    const bool second = rank1 != rank2       ? rank2 > rank1
                        : moves1 != moves2   ? moves2
                        : points1 != points2 ? points2
                                             : surface2.meanArea < surface1.meanArea;
    PairMembership membership;
    membership.bodies = patches.pair(body1, body2, second);
    membership.models = path1 + '|' + path2;
    membership.first = membership.bodies->bodyA().self == body1.self;
    membership.settings = settings;
    membership.group1 = group1;
    membership.group2 = group2;
    membership.library = patches.surfaces();
    membership.surface = membership.first ? &surface1 : &surface2;
    constraint()->join(std::move(membership));
}

template <class Model1, class Model2>
void AggregateVolumeContact<Model1, Model2>::setDetectionOutputs(typename Base::OutputVector* outputs)
{
    Base::setDetectionOutputs(outputs);
    drop_empty_outputs(this->contacts);
}

template <class Model1, class Model2>
void AggregateVolumeContact<Model1, Model2>::createResponse(sofa::core::objectmodel::BaseContext* group)
{
    Base::createResponse(group);
    if (!this->m_constraint) {
        return;
    }
    joinBodies();
    std::vector<ContactSite> sites1, sites2;
    sites1.reserve(this->contacts.size());
    sites2.reserve(this->contacts.size());
    for (const auto* output : this->contacts) {
        sites1.push_back(
            contact_site(typename Base::CollisionElement1(output->elem.first), output->point[0]));
        sites2.push_back(
            contact_site(typename Base::CollisionElement2(output->elem.second), output->point[1]));
    }
    constraint()->setSites(std::move(sites1), std::move(sites2));
}

template <class Model1, class Model2>
void AggregateVolumeContact<Model1, Model2>::removeResponse()
{
    if (this->m_constraint) {
        constraint()->leave();
    }
    Base::removeResponse();
}

template <class Model1, class Model2>
void AggregateVolumeContact<Model1, Model2>::cleanup()
{
    if (this->m_constraint) {
        constraint()->leave();
    }
    Base::cleanup();
}

}  // namespace softcontact::plugin

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/contact/PointContactPairs.h>

#include <SoftContact/contact/BipotentialFrictionContact.inl>

namespace softcontact::plugin {

namespace {

const PointContactPairs<BipotentialFrictionContact> pairs("BipotentialFriction");

}  // namespace

}  // namespace softcontact::plugin

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/contact/PointContactPairs.h>

#include <SoftContact/contact/AggregateVolumeContact.inl>

namespace softcontact::plugin {

namespace {

const PointContactPairs<AggregateVolumeContact> pairs("AggregateVolume");

}  // namespace

}  // namespace softcontact::plugin

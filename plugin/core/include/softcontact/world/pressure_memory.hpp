// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/contact/aggregate.hpp>
#include <softcontact/contact/contact_point.hpp>
#include <softcontact/world/contact_surface.hpp>
#include <softcontact/world/patch.hpp>
#include <softcontact/world/settings.hpp>
#include <span>
#include <vector>

namespace softcontact {

/// Penetrations behind the pressure weights, >= 0 [m], into `depths`.
///
/// Talvas Eq. 11 takes those of the whole free motion. That motion also carries the bones: a finger driven by
/// springs sinks into what it holds by h² times its acceleration, every point alike, so that the longer the
/// step the wider and flatter the pressure. Contact undoes that part; the profile that it leaves is the
/// indentation of the tissue. So the weights take the free motion of the tissue alone, the bodies where they
/// start the step. Where no tissue is pressed in yet, or there is none, the whole free motion counts. Returns
/// whether the tissue's alone was taken.
bool free_penetrations(std::span<const ContactPoint> points, const ContactSurface& a, const ContactSurface& b,
                       double contact_offset, std::vector<double>& depths);

/// Share of a pressure profile that is new in a step, for tissue whose free motion recovers the fraction
/// `recovery` of its indentation in a step.
///
/// The pressure weights are proportional to the free penetration (Talvas Eq. 11). Where tissue is viscous or
/// the step short, a point that was pressed harder recovers less than it was pushed in and so penetrates
/// less: the next weights would swing the other way, by (1 − r)/r of the compliance of the profile relative
/// to that of the mean, and grow without bound below r ≈ ⅓. Taking over only this share keeps every profile
/// between −1 and 1 of its last value and leaves a profile at rest exactly as Eq. 11 has it.
[[nodiscard]] inline double new_pressure_share(double recovery)
{
    constexpr double profile_compliance = 0.45;  ///< of a linear profile, as a fraction of that of the mean
    return recovery / (recovery + profile_compliance * (1.0 - recovery));
}

/// Penetrations of rigid surfaces that keep the tilt they start the step with, and sink as the centre of the
/// last step's pressure does, into `depths`. False, and no change, where there was no pressure, or where it
/// would leave no point pressed.
///
/// Without contact a light foot under a motor turns within a step by more than it sinks, so that points seem
/// to part which are pressed most. Contact undoes that turn as it does that of bones in tissue; with the tilt
/// of the start the weights are what the pressure will be, and a point leaves the patch where its pressure
/// ends.
bool level_penetrations(std::span<const ContactPoint> points, const ContactSurface& a,
                        const ContactSurface& b, double contact_offset, const PairMemory& memory,
                        std::vector<double>& depths);

/// depths[i] (free penetrations, >= 0) ← share · depths + (1 − share) · the profile that the pair remembers,
/// scaled to the same volume. A pair without memory is left as it is.
void blend_pressure(std::span<const ContactPoint> points, const PairMemory& memory, double share,
                    std::vector<double>& depths);

/// The patch of a pair of bodies with this step's pressure weights.
///
/// depths: free penetrations behind the weights, >= 0 [m]; with the non-uniform rule the share that is old
/// comes from the memory. tissue_alone: they are the tissue's alone, and points without any carry nothing.
/// weighted is a buffer. patch.volume is that of the whole free motion, the points' own gaps.
void weigh_patch(std::span<const ContactPoint> points, PressureRule rule, double share, bool tissue_alone,
                 const PairMemory& memory, std::vector<double>& depths, std::vector<ContactPoint>& weighted,
                 AggregatePatch& patch);

/// Keeps the pressures p/N of a patch under the keys of its points, for blend_pressure; sorts them where
/// points are not in the order of their keys.
void remember_pressures(std::span<const ContactPoint> points, const AggregatePatch& patch,
                        double normal_force, PairMemory& memory);

}  // namespace softcontact

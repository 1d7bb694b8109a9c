// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/bodies/integrator.hpp>
#include <softcontact/friction/patch_block.hpp>

namespace softcontact {

enum class ContactModel { aggregate, point };
enum class PressureRule { nonuniform, uniform };

/// What the normal force of a patch does: bears the moments of its pressure, or acts as the paper's one row.
enum class PatchLaw { moments, mean };

/// Patches of two surfaces that aggregate: one, or one for each place where they touch.
enum class Aggregation { single, adaptive };

/// Gap in alarm distances at which rigid surfaces touch.
inline constexpr double touching_ratio = 1e-3;

/// How contact is found and solved; validated by World.
struct WorldSettings {
    Integrator integrator = Integrator::implicit_euler;
    ContactModel contact = ContactModel::aggregate;
    Aggregation aggregation = Aggregation::single;
    FrictionLaw friction_law = FrictionLaw::contensou;
    PressureRule pressure = PressureRule::nonuniform;
    PatchLaw patch_law = PatchLaw::moments;
    /// [m/s] a contact that closes more slowly does not bounce: what gravity makes of a body at rest in two
    /// steps; set by World.
    double least_bounce = 0.0;
    double alarm_distance = 2e-3;  ///< [m] > 0: pairs of features nearer than this are candidates
    double contact_offset = 5e-4;  ///< [m] in [0, alarm_distance): surfaces come to rest this far apart
    /// [m] how deep surfaces may overlap before a contact is lost; the free motion of a step may go deeper by
    /// as much as it moves them
    double max_penetration = 10e-3;
    double solver_tolerance = 1e-8;  ///< [m/s] largest change of a contact velocity in the last sweep
    int solver_max_iterations = 500;
    double accepted_residual = 1e-5;   ///< [m/s] a velocity solve that gets nowhere any more may end with it
    double position_tolerance = 1e-9;  ///< [m]
    int position_max_iterations = 200;

    /// A step after which bodies are inside each other is taken again in halves, these in their halves, as
    /// often as this.
    int max_halvings = 7;

    // When a state counts as no longer usable. A step also fails where a number is not finite, where a system
    // matrix cannot be factored, where surfaces overlap by more than max_penetration after it, and where a
    // body went through another one within it.
    double max_speed = 1e3;   ///< [m/s], of joints [rad/s]: above, the step counts as diverged
    int inverted_steps = 25;  ///< steps in a row that an element may stay inverted
    double unsolved_residual =
        1e-2;                 ///< [m/s] a contact solve that leaves more than this has no useful forces
    int unsolved_steps = 25;  ///< such steps in a row that are borne
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/friction/patch_block.hpp>

namespace softcontact {

enum class ContactModel { aggregate, point };
enum class PressureRule { nonuniform, uniform };

/// How contact is found and solved; validated by World.
struct WorldSettings {
    ContactModel contact = ContactModel::aggregate;
    FrictionLaw friction_law = FrictionLaw::contensou;
    PressureRule pressure = PressureRule::nonuniform;
    double alarm_distance = 2e-3;    ///< [m] > 0: pairs of features nearer than this are candidates
    double contact_offset = 5e-4;    ///< [m] in [0, alarm_distance): surfaces come to rest this far apart
    double max_penetration = 10e-3;  ///< [m] how deep the free motion may go before a contact is lost
    double solver_tolerance = 1e-9;  ///< [m/s] largest change of a contact velocity in the last sweep
    int solver_max_iterations = 1000;
    double position_tolerance = 1e-9;  ///< [m]
    int position_max_iterations = 200;
    double max_speed = 1e3;          ///< [m/s] or [rad/s]: above, the step counts as diverged
    int inverted_steps = 25;         ///< steps in a row that an element may stay inverted before the run is stopped
};

}  // namespace softcontact

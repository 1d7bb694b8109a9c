// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <softcontact/contact/contact_point.hpp>
#include <softcontact/types.hpp>
#include <vector>

namespace softcontact {

/// What one contact patch, or the points of a pair without patches, did in a step. Forces are newtons on
/// surface A, whatever the time step: where it was taken in parts, their mean over its time, so that force
/// times step is the impulse.
struct PatchReport {
    int surface_a = -1;
    int surface_b = -1;
    int number = 0;  ///< of the patch within its pair, the same as long as it lives
    bool aggregated = false;
    Vector3d force = Vector3d::Zero();   ///< [N]
    Vector3d torque = Vector3d::Zero();  ///< about `centre` [N·m]
    Vector3d centre = Vector3d::Zero();  ///< centre of pressure [m]
    Vector3d normal = Vector3d::UnitZ();
    double normal_force = 0.0;    ///< [N]
    double area = 0.0;            ///< of the points that carry load [m²]
    double volume = 0.0;          ///< penetration volume of the free motion [m³]
    double pressure_mean = 0.0;   ///< normal force over area [Pa]
    double pressure_max = 0.0;    ///< [Pa]
    bool sliding = false;         ///< on the limit surface of its law; point contacts: one of them
    std::size_t first_point = 0;  ///< range in World::patch_points()
    int point_count = 0;
    int block = -1;               ///< of the solve; −1 for point contacts, and of parts that are gone
    double point_friction = 0.0;  ///< μ of the pair
};

/// One contact point of a patch: where, and the force on A [N].
struct PatchPoint {
    Vector3d position = Vector3d::Zero();
    Vector3d force = Vector3d::Zero();
    double area = 0.0;
    int contact = -1;  ///< number of the contact point, those of earlier parts of the step after its own
};

/// What a pair of surfaces remembers between steps: a frame that turns with the contact, not from scratch,
/// and the last forces as world vectors (warm start).
struct PairMemory {
    Vector3d tangent = Vector3d::Zero();  ///< zero: no frame yet
    double normal_force = 0.0;
    Vector3d friction = Vector3d::Zero();
    double torque = 0.0;
    Vector3d moment = Vector3d::Zero();  ///< of the normal force, about the patch's moment centre
    std::vector<std::uint64_t> keys;     ///< sorted: what the lists below belong to
    std::vector<Vector3d> forces;        ///< [N], point contacts
    std::vector<double> shares;          ///< of patches: of the normal force as solved; sum 1 [-]
    std::vector<Vector3d> places;        ///< of patches: where their points were [m]
    std::vector<double> profile;         ///< of patches: PressureSpread::profile() [-]
    std::vector<double> profile_change;  ///< what the last step added to it [-]
    double pace = 0.5;                   ///< share of a new profile that the next step takes [-]
    /// Of patches of free tissue, when they last changed much: steps since then, force [N] and place [m].
    double settling_steps = 0.0, event_force = 0.0;
    Vector3d event_place = Vector3d::Zero();

    /// Forgets the lists.
    void clear_points()
    {
        keys.clear();
        forces.clear();
        shares.clear();
        places.clear();
        profile.clear();
        profile_change.clear();
    }
    /// Room in the lists of a patch.
    void reserve_points(std::size_t count)
    {
        keys.reserve(count);
        shares.reserve(count);
        places.reserve(count);
        profile.reserve(count);
        profile_change.reserve(count);
    }
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <softcontact/haptics/contact_tableau.hpp>
#include <softcontact/haptics/rigid_state.hpp>

namespace softcontact {

/// What the slow thread hands to the fast one: how contact answers the tool until the next model comes.
///
/// 1. Eq. 13, bilateral on the contacts that were active in the slow step, linear in the discrete-time force:
///        F_c = F_c0 + ∂F_c/∂F̃ F̃ + ∂F_c/∂T̃ T̃,    T_c likewise                                    wrench()
/// 2. The same contacts as unilateral, frictional rows on the tissue's compliance, for a tool of the fast
///    thread, whose step ends a displacement d from `reference` without contact:                    solve()
///
/// The room is given once; copying between models of equal capacity allocates nothing. An empty model (the
/// default) pushes nothing.
/// Source: Otaduy & Gross 2007, Sec. 5.3, Eqs. 11–13; release and friction beyond it, their Sec. 7.
class LinearContactModel {
public:
    /// Room for `capacity` contacts (>= 0); of more the slow thread keeps those that press hardest.
    explicit LinearContactModel(int capacity = 32);

    /// Eq. 13 at discrete-time force F̃ [N] and torque T̃ [N·m] of the slow step, see ToolDynamics. On the
    /// tool, torque about its centre of mass.
    [[nodiscard]] Wrench wrench(const Vector3d& force, const Vector3d& torque) const;

    /// Contact on a tool whose centre of mass would end a fast step displaced by `free` (and turned by it)
    /// from `reference` if nothing were in the way. At most `max_changes` contacts open, stick or slide anew.
    Wrench solve(const Vector6d& free, int max_changes = 16);

    /// Parts of Eq. 13.
    Vector6d offset = Vector6d::Zero();  ///< F_c0, T_c0 [N], [N·m]
    Matrix6d gain = Matrix6d::Zero();    ///< ∂(F_c, T_c)/∂(F̃, T̃)

    /// The slow step it belongs to.
    std::uint64_t sequence = 0;          ///< 0: never filled
    double time = 0.0;                   ///< simulated time at the start of the slow step [s]
    double published = 0.0;              ///< the slow thread's clock when it handed the model over [s]
    double step = 0.0;                   ///< h of the slow step [s]
    double fast_step = 0.0;              ///< h of the fast step that `system` and the rows are made for [s]
    RigidPose reference;                 ///< tool frame at the start of the slow step
    Vector3d centre = Vector3d::Zero();  ///< its centre of mass then [m]
    Vector6d free_force = Vector6d::Zero();  ///< F̃, T̃ of the slow step
    Vector6d contact = Vector6d::Zero();     ///< contact wrench that the slow step found

    Matrix6d system = Matrix6d::Identity();  ///< A of the fast step: v⁺ = h A⁻¹ (F̃ + F_c) [kg], [kg·m²]
    ContactTableau rows;

    /// All of it as numbers, see ContactTableau::pack.
    [[nodiscard]] Index packed_size() const { return fixed_numbers + rows.packed_size(); }
    [[nodiscard]] Index most_packed() const
    {
        return fixed_numbers + ContactTableau::packed_size(rows.capacity());
    }
    void pack(double* out) const;
    bool unpack(const double* in, Index count) noexcept;

    [[nodiscard]] bool empty() const { return sequence == 0; }
    [[nodiscard]] int contacts() const { return rows.contacts(); }
    /// Nothing in it is NaN or infinite.
    [[nodiscard]] bool finite() const;

private:
    static constexpr Index fixed_numbers = 105;  ///< without the rows
};

}  // namespace softcontact

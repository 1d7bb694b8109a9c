// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/haptics/latest_value.hpp"
#include "softcontact/solver/block_gauss_seidel.hpp"

namespace softcontact {

/// Relative displacement of contact pairs, linear in contact forces and in the displacement of what drives
/// them:
///
///     u = compliance r + drive x + offset      (n, t, s) a pair; the normal parts are gaps
struct CondensedModel {
    RowMajorMatrix compliance;  ///< W (3n, 3n) [m/N]
    MatrixXd drive;             ///< (3n, 3) [-]
    VectorXd offset;            ///< (3n,) [m]
};

enum class CondensedScheme { block_gauss_seidel, local_uzawa, global_uzawa };

struct CondensedSettings {
    CondensedScheme scheme = CondensedScheme::block_gauss_seidel;
    /// What the last sweep may move: |W_bb Δr_b| of any contact, or the Uzawa error |Δr| / rho [m].
    double tolerance = 1e-8;
    int max_sweeps = 500;
    double budget_s = 0.0;  ///< wall time of a tick after which the forces are taken as they are [s]; 0: none
    double rho = 0.0;       ///< Uzawa step [N/m]; 0: min over the problem of 1/W_ii
    int blend_ticks = 20;   ///< ticks over which a newly published model takes the place of the last one
};

struct CondensedTick {
    Vector3d force = Vector3d::Zero();  ///< sum of the contact forces, world axes [N]
    double error = 0.0;                 ///< see CondensedSettings::tolerance [m]
    double residual = 0.0;              ///< natural map, as natural_map_residual()
    double penetration = 0.0;           ///< deepest pair [m]
    int sweeps = 0;
    int touching = 0;  ///< pairs with a force
    bool converged = false;
};

/// Frictional contact of node pairs on condensed quasi-static bodies, one solve a tick: Signorini on the
/// gaps, Coulomb on what slips between two ticks. Each tick starts from the last forces.
///
/// tick() allocates nothing, takes no lock and throws nothing. A tick that runs out of budget or sweeps keeps
/// the forces of its last sweep, says `converged = false`, and the next tick goes on from there.
/// Source: Talbi, Joli, Feng and Kheddar, Sec. 2 and 3 (flexibility method; local and global Uzawa).
class CondensedContact {
public:
    /// mu (n,) >= 0; frame: world axes of n, t and s as columns. Throws std::invalid_argument on shapes and
    /// values that do not fit.
    CondensedContact(const CondensedModel& model, const VectorXd& mu, const Matrix3d& frame,
                     const CondensedSettings& settings);

    /// Replace the model, from one other thread while ticks go on; shapes as at construction.
    void publish(const CondensedModel& model);

    /// Solve with the driven body displaced by x from rest [m].
    CondensedTick tick(const Vector3d& x);

    [[nodiscard]] const VectorXd& forces() const { return m_force; }  ///< (3n,) [N] on the driven body
    [[nodiscard]] const VectorXd& relative() const
    {
        return m_relative;
    }  ///< u (3n,) [m] after the last tick
    [[nodiscard]] Index contacts() const { return m_mu.size(); }

private:
    void check(const CondensedModel& model) const;
    void take_model();
    void refresh();
    [[nodiscard]] double natural_map();
    GaussSeidelResult sweep_uzawa(double budget_s);

    CondensedSettings m_settings;
    Matrix3d m_frame;
    VectorXd m_mu;
    LatestValue<CondensedModel> m_incoming;
    CondensedModel m_model, m_from;
    int m_blended = 0;  // ticks since the last model came
    bool m_blending = false;
    double m_rho = 0.0;
    std::vector<BlockDescriptor> m_blocks;
    BlockGaussSeidel m_solver;
    VectorXd m_free, m_force, m_relative, m_step;
};

}  // namespace softcontact

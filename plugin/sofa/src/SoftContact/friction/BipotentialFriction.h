// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <SoftContact/friction/BipotentialLaw.h>
#include <sofa/core/behavior/ConstraintResolution.h>

#include <memory>
#include <softcontact/types.hpp>

namespace softcontact::plugin {

/// What came of a solve, for all contacts that share it.
struct UzawaRecord {
    bool converged = true;  ///< as the constraint solver says of all contacts together
    double residual = 0.0;  ///< largest |dr|/rho of a contact at its last visit
};

/// The rows of one point contact in SOFA's constraint solvers, by Uzawa's algorithm on the bipotential
/// (softcontact::uzawa_step): r <- P_K(r - rho (u + mu |u_t| n)), once a visit or until the contact is
/// solved.
///
/// SOFA judges a sweep by W dr of each block, which is as small as one likes where rho is small, solved or
/// not. So each visit sets the block's tolerance anew: with it a block counts as |dr|/rho, the Uzawa error of
/// the paper. BlockGaussSeidelConstraintSolver, NNCGConstraintSolver and UnbuiltGaussSeidelConstraintSolver
/// heed it; ImprovedJacobiConstraintSolver has a measure of its own, which is right where rho is 0 (about
/// 1/W).
///
/// Source: Talbi, Joli, Feng and Kheddar, Secs. 3.2 and 3.3; De Saxcé and Feng 1998.
class SOFA_SOFTCONTACT_API BipotentialFriction : public sofa::core::behavior::ConstraintResolution {
public:
    /// One row without friction, else three: normal and two tangents.
    /// record: where what came of the solve is written, or null.
    explicit BipotentialFriction(const BipotentialLaw& law, std::shared_ptr<UzawaRecord> record = {});

    void init(int line, SReal** w, SReal* force) override;
    void resolution(int line, SReal** w, SReal* d, SReal* force, SReal* dFree) override;
    void store(int line, SReal* force, bool convergence) override;

    [[nodiscard]] double friction() const { return m_law.mu; }

private:
    void countAs(const Vector3d& change, double measure);

    BipotentialLaw m_law;
    int m_rows;
    Matrix3d m_delassus = Matrix3d::Zero();
    double m_rho = 0.0;
    double m_measure = 0.0;  // |dr|/rho of the last visit
    std::shared_ptr<UzawaRecord> m_record;
};

}  // namespace softcontact::plugin

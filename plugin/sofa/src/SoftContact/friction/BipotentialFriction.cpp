// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/friction/BipotentialFriction.h>

#include <softcontact/solver/uzawa.hpp>
#include <utility>

namespace softcontact::plugin {

namespace {

constexpr double epsilon2_share = 0.1;  // of the solver's tolerance, where the scene says nothing

}  // namespace

BipotentialFriction::BipotentialFriction(const BipotentialLaw& law, std::shared_ptr<UzawaRecord> record)
    : ConstraintResolution(law.mu > 0.0 ? 3 : 1, law.tolerance),
      m_law(law),
      m_rows(law.mu > 0.0 ? 3 : 1),
      m_record(std::move(record))
{
    if (!(m_law.epsilon2 > 0.0)) {
        m_law.epsilon2 = epsilon2_share * law.tolerance;
    }
}

void BipotentialFriction::init(int line, SReal** w, SReal* /*force*/)
{
    for (int i = 0; i < m_rows; ++i) {
        for (int j = 0; j < m_rows; ++j) {
            m_delassus(i, j) = w[line + i][line + j];
        }
    }
    m_rho = uzawa_rho(m_delassus);
    if (m_rho > 0.0 && m_law.rho > 0.0) {
        m_rho = m_law.rho;
    }
}

void BipotentialFriction::resolution(int line, SReal** /*w*/, SReal* d, SReal* force, SReal* /*dFree*/)
{
    Vector3d before = Vector3d::Zero(), velocity = Vector3d::Zero();
    for (int i = 0; i < m_rows; ++i) {
        before[i] = force[line + i];
        velocity[i] = d[line + i];
    }
    // Nothing where W is zero, of bodies that nothing can move; NaN where it is not finite.
    Vector3d after = m_delassus * Vector3d::Zero();
    m_measure = 0.0;
    if (m_rho > 0.0) {
        after = before;
        if (m_law.local) {
            // d comes with the block's own impulse in it.
            local_uzawa(m_delassus, velocity - m_delassus * before, m_law.mu, m_rho, m_law.epsilon2,
                        m_law.max_local_iterations, after);
        } else {
            after = uzawa_step(before, velocity, m_law.mu, m_rho);
        }
        m_measure = (after - before).norm() / m_rho;
        countAs(after - before, m_measure);
    }
    for (int i = 0; i < m_rows; ++i) {
        force[line + i] = after[i];
    }
}

void BipotentialFriction::store(int /*line*/, SReal* /*force*/, bool convergence)
{
    if (m_record) {
        m_record->converged = m_record->converged && convergence;
        // A comparison that NaN does not pass.
        m_record->residual = m_measure <= m_record->residual ? m_record->residual : m_measure;
    }
}

void BipotentialFriction::countAs(const Vector3d& change, double measure)
{
    // What SOFA's solvers find: the rows' lengths of W ∘ dr, summed.
    double found = 0.0;
    for (int i = 0; i < m_rows; ++i) {
        found += m_delassus.row(i).transpose().cwiseProduct(change).norm();
    }
    setTolerance(measure > 0.0 ? m_law.tolerance * found / measure : m_law.tolerance);
}

}  // namespace softcontact::plugin

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/friction/ContensouFriction.h>

#include <algorithm>

namespace softcontact::plugin {

ContensouFriction::ContensouFriction(BlockLaw law, std::vector<double> guess,
                                     std::shared_ptr<SolvedRows> result)
    : ConstraintResolution(static_cast<unsigned int>(law.rows)),
      m_step(std::move(law)),
      m_guess(std::move(guess)),
      m_result(std::move(result)),
      m_owner(std::this_thread::get_id())
{
    m_delassus.resize(m_step.row_count(), m_step.row_count());
    m_free.resize(m_step.row_count());
}

void ContensouFriction::init(int line, SReal** w, SReal* force)
{
    const int rows = m_step.row_count();
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j) {
            m_delassus(i, j) = w[line + i][line + j];
        }
    }
    m_step.prepare(m_delassus);
    m_solved = true;
    // A haptic thread that solves again has forces already.
    const bool started = std::any_of(force + line, force + line + rows, [](SReal f) { return f != 0.0; });
    if (!started && m_guess.size() == static_cast<std::size_t>(rows)) {
        std::copy(m_guess.begin(), m_guess.end(), force + line);
    }
}

void ContensouFriction::resolution(int line, SReal** /*w*/, SReal* d, SReal* force, SReal* /*dFree*/)
{
    const int rows = m_step.row_count();
    Eigen::Map<VectorXd> impulse(force + line, rows);
    // d comes with the block's own impulse in it.
    m_free = Eigen::Map<const VectorXd>(d + line, rows);
    m_free.noalias() -= m_delassus * impulse;
    m_solved = m_step.solve(m_free, impulse);
}

void ContensouFriction::store(int line, SReal* force, bool convergence)
{
    if (m_result == nullptr || std::this_thread::get_id() != m_owner) {
        return;
    }
    m_result->impulses.assign(force + line, force + line + m_step.row_count());
    m_result->solved = m_solved;
    m_result->converged = convergence;
    m_result->fresh = true;
}

}  // namespace softcontact::plugin

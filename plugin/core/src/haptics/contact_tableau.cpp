// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <softcontact/haptics/contact_tableau.hpp>

namespace softcontact {

namespace {

constexpr int extra = 7;                    ///< columns of d and of 1
constexpr double shared_compliance = 1e-4;  ///< added on the diagonal of W, as a share of its largest entry
constexpr double least_pivot = 1e-9;        ///< of an exchange, as a share of the diagonal of W
constexpr int friction_iterations = 8;      ///< on the bounds of sliding contacts, at most
constexpr double force_tolerance = 1e-9;    ///< what counts as violated, as a share of the largest force
constexpr double most_turn = 0.02;          ///< 1 − cos of how far a slip direction may turn unfollowed
constexpr double slip_seen = 1e-4;          ///< slip that tells a direction, as a share of W_tt μ λ_n

std::size_t index(int i)
{
    return static_cast<std::size_t>(i);
}

}  // namespace

ContactTableau::ContactTableau(int capacity) : m_capacity(std::max(capacity, 0))
{
    const std::size_t contacts = index(m_capacity), most = 3 * contacts;
    m_table.assign(most * (most + extra), 0.0);
    m_h.assign(6 * most, 0.0);
    for (auto* values : {&m_diagonal, &m_base, &m_value, &m_force, &m_displacement, &m_swept}) {
        values->assign(most, 0.0);
    }
    m_active.assign(most, 0);
    m_friction.assign(contacts, 0.0);
    m_normal.assign(contacts, 0.0);
    m_state.assign(contacts, State::open);
    m_slip.assign(contacts, Vector2d::UnitX());
    m_last.assign(contacts, Vector2d::Zero());
    m_has_last.assign(contacts, 0);
    m_refused.assign(contacts, 0);
}

void ContactTableau::begin(int contacts)
{
    m_contacts = std::clamp(contacts, 0, m_capacity);
    m_rows = 3 * m_contacts;
    m_stride = m_rows + extra;
    for (int i = 0; i < m_rows; ++i) {
        std::fill_n(row(i), m_stride, 0.0);
        m_active[index(i)] = 0;
        m_value[index(i)] = m_force[index(i)] = m_displacement[index(i)] = 0.0;
    }
    for (int c = 0; c < m_contacts; ++c) {
        m_state[index(c)] = State::open;
        m_slip[index(c)] = Vector2d::UnitX();
        m_last[index(c)].setZero();
        m_has_last[index(c)] = 0;
        m_normal[index(c)] = 0.0;
    }
}

double ContactTableau::set_compliance(const Eigen::Ref<const MatrixXd>& compliance)
{
    double largest = 0.0;
    for (int i = 0; i < m_rows; ++i) {
        largest = std::max(largest, compliance(i, i));
    }
    for (int i = 0; i < m_rows; ++i) {
        for (int j = 0; j < m_rows; ++j) {
            at(i, j) = compliance(i, j);
        }
        at(i, i) += shared_compliance * largest;
        m_diagonal[index(i)] = at(i, i);
    }
    return shared_compliance * largest;
}

void ContactTableau::set_rows(const Eigen::Ref<const MatrixXd>& rows,
                              const Eigen::Ref<const VectorXd>& offsets,
                              const Eigen::Ref<const VectorXd>& friction)
{
    for (int i = 0; i < m_rows; ++i) {
        for (int k = 0; k < 6; ++k) {
            m_h[index(6 * i + k)] = rows(i, k);
            at(i, rhs() + k) = rows(i, k);
        }
        at(i, rhs() + 6) = offsets[i];
    }
    for (int c = 0; c < m_contacts; ++c) {
        m_friction[index(c)] = friction[c];
    }
}

bool ContactTableau::exchange(int pivot_row)
{
    double* const pivot = row(pivot_row);
    const double value = pivot[pivot_row];
    const bool in = m_active[index(pivot_row)] == 0;
    // Going out, the pivot is the inverse of what it was going in.
    if (!(in ? value > least_pivot * m_diagonal[index(pivot_row)] : value > 0.0)) {
        return false;
    }
    const double inverse = 1.0 / value;
    for (int j = 0; j < m_stride; ++j) {
        pivot[j] *= -inverse;
    }
    pivot[pivot_row] = 0.0;
    for (int k = 0; k < m_rows; ++k) {
        double* const other = row(k);
        const double factor = other[pivot_row];
        if (k == pivot_row || factor == 0.0) {
            continue;
        }
        for (int j = 0; j < m_stride; ++j) {
            other[j] += factor * pivot[j];
        }
        other[pivot_row] = factor * inverse;
    }
    pivot[pivot_row] = inverse;
    m_active[index(pivot_row)] ^= 1U;
    return true;
}

void ContactTableau::anchor(int contact, const Vector2d& displacement)
{
    at(3 * contact + 1, rhs() + 6) -= displacement.x();
    at(3 * contact + 2, rhs() + 6) -= displacement.y();
    m_last[index(contact)] -= displacement;
}

bool ContactTableau::change(const Change& to)
{
    const int c = to.contact, n = 3 * c;
    State& state = m_state[index(c)];
    if (state == State::stick && to.state != State::stick) {
        for (const int r : {n + 1, n + 2}) {
            if (m_active[index(r)] != 0) {
                exchange(r);
            }
        }
    }
    if ((to.state != State::open) != (m_active[index(n)] != 0)) {
        exchange(n);
    }
    const bool done = (to.state != State::open) == (m_active[index(n)] != 0);
    state = m_active[index(n)] != 0 ? to.state : State::open;
    m_slip[index(c)] = to.slip;
    if (state == State::stick) {
        exchange(n + 1);
        exchange(n + 2);
    }
    return done;
}

void ContactTableau::set_state(int contact, State state, const Vector2d& slip, double normal_force)
{
    if (state == State::stick && !(m_friction[index(contact)] > 0.0)) {
        state = State::slide;  // without friction there is nothing to stick with
    }
    if (state != m_state[index(contact)] || state == State::slide) {
        change({contact, state, slip});
    }
    m_normal[index(contact)] = normal_force;
}

void ContactTableau::evaluate(const Vector6d& d)
{
    double most = 0.0;  // what all contacts would bear together without friction
    for (int i = 0; i < m_rows; ++i) {
        const double* const linear = row(i) + rhs();
        double value = linear[6];
        for (int k = 0; k < 6; ++k) {
            value += linear[k] * d[k];
        }
        m_base[index(i)] = value;
        most += i % 3 == 0 && m_active[index(i)] != 0 ? std::max(value, 0.0) : 0.0;
    }
    // The bound of a sliding contact is that of its own normal force, which its friction moves in turn. Among
    // redundant or wedged contacts that may grow without end, so `most` limits it.
    for (int iteration = 0; iteration < friction_iterations; ++iteration) {
        std::copy_n(m_base.begin(), m_rows, m_value.begin());
        for (int c = 0; c < m_contacts; ++c) {
            const double bound = m_friction[index(c)] * std::min(m_normal[index(c)], most);
            if (m_state[index(c)] != State::slide || bound == 0.0) {
                continue;
            }
            const double t = bound * m_slip[index(c)].x(), s = bound * m_slip[index(c)].y();
            for (int i = 0; i < m_rows; ++i) {
                const double* const table = row(i) + 3 * c;
                m_value[index(i)] += t * table[1] + s * table[2];
            }
        }
        double moved = 0.0, largest = 0.0;
        for (int c = 0; c < m_contacts; ++c) {
            const bool active = m_active[index(3 * c)] != 0;
            const double normal = active ? std::clamp(m_value[index(3 * c)], 0.0, most) : 0.0;
            if (m_state[index(c)] == State::slide && m_friction[index(c)] > 0.0) {
                moved = std::max(moved, std::abs(normal - m_normal[index(c)]));
            }
            largest = std::max(largest, normal);
            m_normal[index(c)] = normal;
        }
        if (moved <= force_tolerance * largest) {
            break;
        }
    }
    for (int i = 0; i < m_rows; ++i) {
        m_force[index(i)] = m_active[index(i)] != 0 ? m_value[index(i)] : 0.0;
        m_displacement[index(i)] = m_active[index(i)] != 0 ? 0.0 : m_value[index(i)];
    }
    for (int c = 0; c < m_contacts; ++c) {
        if (m_state[index(c)] == State::slide) {
            const double bound = m_friction[index(c)] * m_normal[index(c)];
            m_force[index(3 * c + 1)] = bound * m_slip[index(c)].x();
            m_force[index(3 * c + 2)] = bound * m_slip[index(c)].y();
        }
    }
}

ContactTableau::Change ContactTableau::worst_violation() const
{
    double largest = 0.0;
    for (int c = 0; c < m_contacts; ++c) {
        largest = std::max(largest, std::abs(m_force[index(3 * c)]));
    }
    double worst = std::max(force_tolerance * largest, std::numeric_limits<double>::min());
    Change change;
    const auto consider = [&](double violation, const Change& candidate) {
        if (violation > worst) {
            worst = violation;
            change = candidate;
        }
    };
    for (int c = 0; c < m_contacts; ++c) {
        const int n = 3 * c;
        const double normal = m_force[index(n)];
        const double mu = m_friction[index(c)];
        if (m_refused[index(c)] != 0) {
            continue;
        }
        if (m_state[index(c)] == State::open) {
            consider(-m_displacement[index(n)] / m_diagonal[index(n)],
                     {c, mu > 0.0 ? State::stick : State::slide, Vector2d::UnitX()});
            continue;
        }
        if (normal < 0.0) {
            consider(-normal, {c, State::open, Vector2d::UnitX()});
            continue;
        }
        if (m_state[index(c)] == State::stick) {
            const Vector2d friction(m_force[index(n + 1)], m_force[index(n + 2)]);
            const double size = friction.norm();
            if (size > mu * normal) {
                consider(size - mu * normal, {c, State::slide, friction / size});
            }
        } else if (mu > 0.0 && m_has_last[index(c)] != 0) {
            const Vector2d moved =
                Vector2d(m_displacement[index(n + 1)], m_displacement[index(n + 2)]) - m_last[index(c)];
            const double give = std::max(m_diagonal[index(n + 1)], m_diagonal[index(n + 2)]);
            const double forward = -moved.dot(m_slip[index(c)]);
            const double size = moved.norm();
            if (forward < 0.0) {
                consider(-forward / give, {c, State::stick, Vector2d::UnitX()});
            } else if (size > slip_seen * give * mu * normal && size - forward > most_turn * size) {
                consider((size - forward) / size * force_tolerance * largest,
                         {c, State::slide, -moved / size});
            }
        }
    }
    return change;
}

int ContactTableau::solve(const Vector6d& d, int max_changes)
{
    std::copy_n(m_force.begin(), m_rows, m_swept.begin());
    evaluate(d);
    std::fill_n(m_refused.begin(), m_contacts, static_cast<unsigned char>(0));
    int changes = 0;
    Change next = worst_violation();
    while (next.contact >= 0 && changes < max_changes) {
        if (next.state == State::stick) {
            // It sticks where it was last seen, not where this step would have carried it.
            const int t = 3 * next.contact + 1;
            const Vector2d here(m_displacement[index(t)], m_displacement[index(t + 1)]);
            const bool seen = m_has_last[index(next.contact)] != 0;
            anchor(next.contact, seen ? m_last[index(next.contact)] : here);
        }
        if (!change(next)) {
            m_refused[index(next.contact)] = 1;
        }
        ++changes;
        evaluate(d);
        next = worst_violation();
    }
    if (next.contact >= 0) {
        sweep(d);  // changes one by one can go in circles, each of its sets with forces of its own
    }
    cut();
    for (int c = 0; c < m_contacts; ++c) {
        m_last[index(c)] << m_displacement[index(3 * c + 1)], m_displacement[index(3 * c + 2)];
        m_has_last[index(c)] = 1;
    }
    return changes;
}

void ContactTableau::solve_fixed(const Vector6d& d)
{
    evaluate(d);
}

Vector6d ContactTableau::wrench() const
{
    Vector6d out = Vector6d::Zero();
    for (int i = 0; i < m_rows; ++i) {
        out += m_force[index(i)] * Eigen::Map<const Vector6d>(m_h.data() + 6 * i);
    }
    return out;
}

bool ContactTableau::finite() const
{
    const auto size = static_cast<Index>(m_rows) * m_stride;
    return Eigen::Map<const VectorXd>(m_table.data(), size).allFinite() &&
           Eigen::Map<const VectorXd>(m_friction.data(), m_contacts).allFinite();
}

int ContactTableau::touching() const
{
    int count = 0;
    for (int c = 0; c < m_contacts; ++c) {
        count += m_force[index(3 * c)] > 0.0 ? 1 : 0;
    }
    return count;
}

}  // namespace softcontact

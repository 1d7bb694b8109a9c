// SPDX-License-Identifier: LGPL-2.1-or-later
// Forces that are admissible whatever the active set, and what a tick does where changes of it come to no
// end.
#include <algorithm>
#include <cmath>
#include <softcontact/haptics/contact_tableau.hpp>

namespace softcontact {

namespace {

constexpr int most_sweeps = 60;
constexpr double sweep_tolerance = 1e-6;  ///< change of a force that ends them, as a share of the largest

std::size_t slot(int i)
{
    return static_cast<std::size_t>(i);
}

}  // namespace

void ContactTableau::cut()
{
    for (int c = 0; c < m_contacts; ++c) {
        const std::size_t n = slot(3 * c);
        m_force[n] = std::max(m_force[n], 0.0);
        const double bound = m_friction[slot(c)] * m_force[n];
        const double size = std::hypot(m_force[n + 1], m_force[n + 2]);
        if (size > bound) {
            m_force[n + 1] *= bound / size;
            m_force[n + 2] *= bound / size;
        }
    }
}

void ContactTableau::sweep(const Vector6d& d)
{
    // With nothing active the table is W again, and the dependents are displacements.
    for (int c = 0; c < m_contacts; ++c) {
        change({c, State::open, m_slip[slot(c)]});
    }
    evaluate(d);
    for (int c = 0; c < m_contacts; ++c) {
        if (m_has_last[slot(c)] == 0) {  // it begins to stick here
            m_last[slot(c)] << m_base[slot(3 * c + 1)], m_base[slot(3 * c + 2)];
        }
    }
    for (int k = 0; k < most_sweeps; ++k) {
        std::copy_n(m_swept.begin(), m_rows, m_value.begin());
        for (int c = 0; c < m_contacts; ++c) {
            sweep_contact(c);
        }
        double moved = 0.0, largest = 0.0;
        for (int i = 0; i < m_rows; ++i) {
            moved = std::max(moved, std::abs(m_swept[slot(i)] - m_value[slot(i)]));
            largest = std::max(largest, std::abs(m_swept[slot(i)]));
        }
        if (moved <= sweep_tolerance * largest) {
            break;
        }
    }
    take_swept(d);
}

void ContactTableau::sweep_contact(int contact)
{
    const auto displacement = [&](int i) {
        double value = m_base[slot(i)];
        const double* const compliance = row(i);
        for (int j = 0; j < m_rows; ++j) {
            value += compliance[j] * m_swept[slot(j)];
        }
        return value;
    };
    const int n = 3 * contact;
    double& normal = m_swept[slot(n)];
    normal = std::max(0.0, normal - displacement(n) / m_diagonal[slot(n)]);
    const double bound = m_friction[slot(contact)] * normal;
    if (!(bound > 0.0)) {
        m_swept[slot(n + 1)] = m_swept[slot(n + 2)] = 0.0;
        return;
    }
    const double give = std::max(m_diagonal[slot(n + 1)], m_diagonal[slot(n + 2)]);
    const Vector2d moved = Vector2d(displacement(n + 1), displacement(n + 2)) - m_last[slot(contact)];
    Vector2d friction = Vector2d(m_swept[slot(n + 1)], m_swept[slot(n + 2)]) - moved / give;
    if (const double size = friction.norm(); size > bound) {
        friction *= bound / size;
    }
    m_swept[slot(n + 1)] = friction.x();
    m_swept[slot(n + 2)] = friction.y();
}

void ContactTableau::take_swept(const Vector6d& d)
{
    constexpr double at_bound = 1.0 - 1e-9;
    for (int c = 0; c < m_contacts; ++c) {
        const int n = 3 * c;
        const double normal = m_swept[slot(n)];
        if (!(normal > 0.0)) {
            continue;
        }
        const Vector2d friction(m_swept[slot(n + 1)], m_swept[slot(n + 2)]);
        const double size = friction.norm(), bound = m_friction[slot(c)] * normal;
        if (bound > 0.0 && size < at_bound * bound) {
            anchor(c, m_last[slot(c)]);
            change({c, State::stick, m_slip[slot(c)]});
        } else {
            change({c, State::slide, size > 0.0 ? Vector2d(friction / size) : m_slip[slot(c)]});
        }
        m_normal[slot(c)] = normal;
    }
    evaluate(d);
    // The sweeps' own forces: admissible, and near those of the set, whose rounding could make them leave it.
    std::copy_n(m_swept.begin(), m_rows, m_force.begin());
}

}  // namespace softcontact

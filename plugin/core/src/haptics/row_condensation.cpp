// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <softcontact/haptics/row_condensation.hpp>

namespace softcontact {

namespace {

constexpr double slide_margin = 1e-9;  ///< share of μ λ_n within which a contact counts as sliding

}  // namespace

void RowCondensation::classify(const SolvedStep& solved)
{
    m_contacts.clear();
    for (const SolvedStep::Contact& given : solved.contacts) {
        Contact contact;
        contact.row = given.row;
        contact.friction = given.friction;
        contact.force = solved.multipliers.segment<3>(given.row);
        contact.of_tool = !solved.reach.middleCols<3>(given.row).isZero(0.0);
        const double normal = solved.multipliers[given.row];
        const Vector2d friction = solved.multipliers.segment<2>(given.row + 1);
        if (normal > 0.0) {
            const double size = friction.norm();
            const bool slides = size >= given.friction * normal * (1.0 - slide_margin);
            contact.state = slides ? State::slide : State::stick;
            if (slides && size > 0.0) {
                contact.slip = friction / size;
            }
        }
        if (contact.of_tool || contact.state != State::open) {
            m_contacts.push_back(contact);
        }
    }
}

void RowCondensation::select(int capacity, const SolvedStep& solved)
{
    // Those that press hardest, then those that are nearest; contacts between other bodies after them.
    const auto first = [&](const Contact& a, const Contact& b) {
        if (a.of_tool != b.of_tool) {
            return a.of_tool;
        }
        const double force_a = solved.multipliers[a.row], force_b = solved.multipliers[b.row];
        return force_a != force_b ? force_a > force_b
                                  : solved.right_hand_side[a.row] < solved.right_hand_side[b.row];
    };
    std::stable_sort(m_contacts.begin(), m_contacts.end(), first);
    int of_tool = 0;
    for (Contact& contact : m_contacts) {
        contact.chosen = contact.of_tool && of_tool < capacity;
        of_tool += contact.of_tool ? 1 : 0;
    }
    m_left_out = std::max(of_tool - capacity, 0);
    std::erase_if(m_contacts, [](const Contact& c) { return c.state == State::open && !c.chosen; });
}

void RowCondensation::gather(const SolvedStep& solved)
{
    const auto rows = 3 * static_cast<Index>(m_contacts.size());
    m_reach.resize(6, rows);
    m_delassus.resize(rows, rows);
    m_rest_velocity.resize(rows);
    m_active.clear();
    m_others.clear();
    m_chosen.clear();
    for (std::size_t i = 0; i < m_contacts.size(); ++i) {
        const int at = m_contacts[i].row;
        const auto row = 3 * static_cast<Index>(i);
        m_reach.middleCols<3>(row) = solved.reach.middleCols<3>(at);
        m_rest_velocity.segment<3>(row) = solved.right_hand_side.segment<3>(at);
        for (std::size_t j = 0; j < m_contacts.size(); ++j) {
            m_delassus.block<3, 3>(row, 3 * static_cast<Index>(j)) =
                solved.delassus.block<3, 3>(at, m_contacts[j].row);
        }
        if (m_contacts[i].chosen) {
            m_chosen.push_back(static_cast<int>(i));
        }
        if (m_contacts[i].state != State::open) {
            m_active.push_back(static_cast<int>(i));
            if (!m_contacts[i].of_tool) {
                m_others.push_back(static_cast<int>(i));
            }
        }
    }
    for (std::size_t i = 0; i < m_contacts.size(); ++i) {
        m_contacts[i].row = 3 * static_cast<int>(i);
    }
    const MatrixXd moved = solved.mobility * m_reach;
    m_rest = m_delassus;
    m_rest.noalias() -= solved.step * (m_reach.transpose() * moved);
    m_rest_velocity.noalias() -= m_reach.transpose() * solved.free_velocity;
}

void RowCondensation::solve_active(const std::vector<int>& contacts,
                                   const Eigen::Ref<const MatrixXd>& delassus, const MatrixXd& right,
                                   MatrixXd& out)
{
    const auto contact = [&](int i) -> const Contact& { return m_contacts[static_cast<std::size_t>(i)]; };
    m_rows.clear();
    for (const int i : contacts) {
        const int count = contact(i).state == State::stick ? 3 : 1;
        for (int k = 0; k < count; ++k) {
            m_rows.push_back(contact(i).row + k);
        }
    }
    const auto count = static_cast<Index>(m_rows.size());
    // E: a sliding contact's friction goes with its normal force.
    m_spread.setZero(delassus.rows(), count);
    Index column = 0;
    for (const int i : contacts) {
        const Contact& c = contact(i);
        if (c.state == State::slide) {
            m_spread(c.row, column) = 1.0;
            m_spread.block<2, 1>(c.row + 1, column) = c.friction * c.slip;
            ++column;
        } else {
            m_spread.block<3, 3>(c.row, column).setIdentity();
            column += 3;
        }
    }
    out.setZero(delassus.rows(), right.cols());
    if (count == 0) {
        return;
    }
    m_system.resize(count, count);
    m_right.resize(count, right.cols());
    for (Index i = 0; i < count; ++i) {
        m_system.row(i).noalias() = delassus.row(m_rows[static_cast<std::size_t>(i)]) * m_spread;
        m_right.row(i) = right.row(m_rows[static_cast<std::size_t>(i)]);
    }
    m_factor.compute(m_system);  // of full pivots: contacts between rigid bodies may be redundant
    m_solution = -m_factor.solve(m_right);
    out.noalias() = m_spread * m_solution;
}

void RowCondensation::fill_gain(const SolvedStep& solved, LinearContactModel& out)
{
    // Columns: ∂(H v⁻)/∂(F̃, T̃), and what is left of q without the tool.
    MatrixXd right(m_reach.cols(), 7);
    right.leftCols<6>().noalias() = solved.step * (m_reach.transpose() * solved.mobility);
    right.col(6) = m_rest_velocity;
    MatrixXd forces;
    solve_active(m_active, m_delassus, right, forces);
    const MatrixXd wrench = m_reach * forces;
    out.gain = wrench.leftCols<6>();
    out.offset = wrench.col(6);
}

void RowCondensation::fill_rows(const SolvedStep& solved, LinearContactModel& out)
{
    const auto count = static_cast<Index>(m_chosen.size());
    const Index all = m_reach.cols();
    MatrixXd pick = MatrixXd::Zero(all, 3 * count);  // the tool's rows
    m_model_rows.resize(3 * count, 6);
    m_friction.resize(count);
    m_forces.resize(3 * count);
    for (Index c = 0; c < count; ++c) {
        const Contact& contact = m_contacts[static_cast<std::size_t>(m_chosen[static_cast<std::size_t>(c)])];
        pick.block<3, 3>(contact.row, 3 * c).setIdentity();
        m_model_rows.middleRows<3>(3 * c) = m_reach.middleCols<3>(contact.row).transpose();
        m_friction[c] = contact.friction;
        m_forces.segment<3>(3 * c) = contact.force;
    }
    // What the other bodies' active contacts answer to a unit force on each row, and to their free motion.
    MatrixXd right(all, 3 * count + 1);
    right.leftCols(3 * count).noalias() = m_rest * pick;
    right.col(3 * count) = m_rest_velocity;
    MatrixXd answer;
    solve_active(m_others, m_rest, right, answer);
    right.noalias() += m_rest * answer;
    const MatrixXd reduced = solved.step * (pick.transpose() * right);
    const Matrix6d mobility = out.fast_step * out.fast_step * out.system.llt().solve(Matrix6d::Identity());
    m_compliance = 0.5 * (reduced.leftCols(3 * count) + reduced.leftCols(3 * count).transpose());
    m_compliance.noalias() += m_model_rows * mobility * m_model_rows.transpose();
    m_offsets = reduced.col(3 * count);
    out.rows.begin(static_cast<int>(count));
    m_offsets -= out.rows.set_compliance(m_compliance) * m_forces;
    out.rows.set_rows(m_model_rows, m_offsets, m_friction);
    for (Index c = 0; c < count; ++c) {
        const Contact& contact = m_contacts[static_cast<std::size_t>(m_chosen[static_cast<std::size_t>(c)])];
        if (contact.state != State::open) {
            out.rows.set_state(static_cast<int>(c), contact.state, contact.slip, contact.force[0]);
        }
    }
}

void RowCondensation::build(const SolvedStep& solved, LinearContactModel& out)
{
    out.contact.noalias() = solved.reach * solved.multipliers;
    classify(solved);
    select(out.rows.capacity(), solved);
    gather(solved);
    fill_gain(solved, out);
    fill_rows(solved, out);
}

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
// Newton's restitution: which contacts bounce in a step, when the next one does, and what energy that takes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <softcontact/world/contact_problem_builder.hpp>

namespace softcontact {

void ContactProblemBuilder::set_bounces(const std::vector<ContactPair>& pairs, const WorldSettings& settings,
                                        double step, bool may_cut)
{
    constexpr double unlimited = 1e6;  // [m/s]
    m_bounces = false;
    if (std::none_of(m_blocks.begin(), m_blocks.end(), [&](const Block& block) {
            return pairs[m_contacts[block.contacts].pair].restitution > 0.0;
        })) {
        return;
    }
    const VectorXd start = m_rows.start_velocity();
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        Block& block = m_blocks[i];
        const double restitution = pairs[m_contacts[block.contacts].pair].restitution;
        if (!(restitution > 0.0)) {
            continue;
        }
        const double approach = -start[m_rows.block_offset(static_cast<int>(i))];
        if (!(approach > settings.least_bounce)) {
            continue;  // it comes to rest
        }
        const bool closed = block.gap[0] < bounce_share * step * approach;
        if (!closed) {
            block.waits = may_cut;
            block.bounce = may_cut ? -unlimited : 0.0;
            continue;
        }
        // Newton's law holds just after the impact; gravity and springs go on to the end of the step.
        const int row = m_rows.block_offset(static_cast<int>(i));
        const double driven = m_rows.free_velocity()[row] + approach;
        block.bounce = std::max(restitution * approach + driven, 0.0);
        m_bounces = true;
    }
}

void ContactProblemBuilder::renew(const std::vector<ContactPair>& pairs, const WorldSettings& settings,
                                  double step, bool may_cut)
{
    m_rows.renew_free_velocity();
    set_bounces(pairs, settings, step, may_cut);
}

double ContactProblemBuilder::next_impact(double step) const
{
    double next = std::numeric_limits<double>::infinity();
    if (std::none_of(m_blocks.begin(), m_blocks.end(), [](const Block& block) { return block.waits; })) {
        return next;
    }
    const VectorXd changes = m_rows.change_by(m_multipliers);
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        const Block& block = m_blocks[i];
        if (!block.waits) {
            continue;
        }
        const int row = m_rows.block_offset(static_cast<int>(i));
        const double way = step * (m_rows.free_velocity()[row] + changes[row]);
        if (block.gap[0] + way < 0.0) {
            next = std::min(next, std::max(0.0, block.gap[0]) / -way);
        }
    }
    return next;
}

double ContactProblemBuilder::impact_gain() const
{
    double gain = 0.0, size = 0.0;
    const VectorXd changes = m_rows.change_by(m_multipliers), start = m_rows.start_velocity();
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        const int first = m_rows.block_offset(static_cast<int>(i));
        for (int row = first; row < first + m_rows.block_rows(static_cast<int>(i)); ++row) {
            gain += multipliers()[row] * (start[row] + 0.5 * changes[row]);
            size += std::abs(multipliers()[row] * start[row]);
        }
    }
    constexpr double round_off = 1e-9;
    return gain > round_off * size ? gain : 0.0;
}

}  // namespace softcontact

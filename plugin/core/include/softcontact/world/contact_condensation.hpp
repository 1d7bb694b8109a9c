// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/haptics/row_condensation.hpp>
#include <softcontact/world/point_problem.hpp>
#include <softcontact/world/world.hpp>
#include <vector>

namespace softcontact {

/// From a solved step of a world to the linear contact model of one of its tools, see RowCondensation.
class ContactCondensation {
public:
    /// `tool`: body id of a tool; `fast_step` of the thread that will use the models [s]. Throws
    /// std::invalid_argument.
    ContactCondensation(const World& world, int tool, double fast_step);

    /// The model of the last step. `published`: the clock to stamp it with [s]. Throws std::invalid_argument
    /// where contact was aggregated: patches have no rows of point contacts.
    void build(const World& world, double published, LinearContactModel& out);

    /// Contacts of the last build that found no room in the model.
    [[nodiscard]] int left_out() const { return m_rows.left_out(); }

private:
    int m_tool;
    double m_fast_step;
    std::uint64_t m_sequence = 0;
    RowCondensation m_rows;
    std::vector<SolvedStep::Contact> m_contacts;
    PointProblem m_points;
    MatrixXd m_reach;  ///< Hᵀ (6, rows)
};

}  // namespace softcontact

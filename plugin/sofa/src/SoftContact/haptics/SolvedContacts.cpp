// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/friction/BipotentialFriction.h>
#include <SoftContact/haptics/SolvedContacts.h>
#include <sofa/component/constraint/lagrangian/model/UnilateralConstraintResolution.h>

namespace softcontact::plugin {

namespace {

using sofa::component::constraint::lagrangian::model::UnilateralConstraintResolution;
using sofa::component::constraint::lagrangian::model::UnilateralConstraintResolutionWithFriction;
using sofa::core::behavior::ConstraintResolution;

/// μ of SOFA's contacts is protected; never instantiated, it only names the member.
struct SofaContact : UnilateralConstraintResolutionWithFriction {
    static double friction(const UnilateralConstraintResolutionWithFriction& contact)
    {
        return contact.*(&SofaContact::_mu);
    }
};

/// μ of a point contact; negative where the rows are something else.
double frictionOf(const ConstraintResolution& rows)
{
    if (const auto* sofa = dynamic_cast<const UnilateralConstraintResolutionWithFriction*>(&rows)) {
        return SofaContact::friction(*sofa);
    }
    if (const auto* ours = dynamic_cast<const BipotentialFriction*>(&rows)) {
        return ours->friction();
    }
    return dynamic_cast<const UnilateralConstraintResolution*>(&rows) != nullptr ? 0.0 : -1.0;
}

}  // namespace

std::string SolvedContacts::read(Problem& problem, const Rigid3Types::MatrixDeriv& tool, bool velocities,
                                 double dt)
{
    m_contacts.clear();
    m_rows.clear();
    m_step = dt;
    const int dimension = problem.getDimension();
    for (int line = 0; line < dimension;) {
        const auto* rows = problem.constraintsResolutions[static_cast<std::size_t>(line)];
        const double friction = rows != nullptr ? frictionOf(*rows) : -1.0;
        if (friction < 0.0) {
            return "constraint row " + std::to_string(line) +
                   " is no point contact; the linear contact model takes FrictionContactConstraint and "
                   "BipotentialFriction";
        }
        const int count = rows->getNbLines();
        m_contacts.push_back({static_cast<int>(m_rows.size()), friction});
        for (int k = 0; k < 3; ++k) m_rows.push_back(k < count ? line + k : -1);
        line += count;
    }
    const auto size = static_cast<Index>(m_rows.size());
    m_delassus.setZero(size, size);
    m_velocities.setZero(size);
    m_forces.setZero(size);
    m_reach.setZero(6, size);
    const double compliance = velocities ? dt : 1.0, rate = velocities ? 1.0 : 1.0 / dt;
    std::vector<Index> place(static_cast<std::size_t>(dimension));
    for (Index i = 0; i < size; ++i) {
        const int row = m_rows[static_cast<std::size_t>(i)];
        if (row < 0) {
            const Index normal = i - i % 3;
            m_delassus(i, i) = m_delassus(normal, normal);
            continue;
        }
        place[static_cast<std::size_t>(row)] = i;
        for (Index j = 0; j < size; ++j) {
            const int column = m_rows[static_cast<std::size_t>(j)];
            if (column >= 0) m_delassus(i, j) = compliance * problem.getW()[row][column];
        }
        m_velocities[i] = rate * problem.getDfree()[row];
        m_forces[i] = problem.getF()[row] / dt;
    }
    for (auto row = tool.begin(); row != tool.end(); ++row) {
        if (row.index() >= dimension) continue;
        for (auto entry = row.begin(); entry != row.end(); ++entry) {
            m_reach.col(place[static_cast<std::size_t>(row.index())]) += eigen(entry.val()).vector();
        }
    }
    return "";
}

SolvedStep SolvedContacts::step(const Matrix6d& mobility, const Vector6d& freeVelocity) const
{
    return {.delassus = m_delassus,
            .right_hand_side = m_velocities,
            .multipliers = m_forces,
            .contacts = m_contacts,
            .reach = m_reach,
            .mobility = mobility,
            .free_velocity = freeVelocity,
            .step = m_step};
}

}  // namespace softcontact::plugin

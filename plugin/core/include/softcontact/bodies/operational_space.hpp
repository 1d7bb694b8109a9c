// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "softcontact/bodies/articulated.hpp"

namespace softcontact {

/// Inverse operational-space inertia Λ⁻¹ = J A⁻¹ Jᵀ of many contacts on one articulated body, in one pass.
///
/// A row is a unit wrench on a link: a contact point has three of them, an aggregate up to four. Rows on the
/// same link share that link's 6 × 6 responses, so the cost is O(n k + r²) for n links, k of them touched,
/// and r rows: within the O(n m + m²) of m contact points, for k <= m. A = M + diagonal is what
/// factorize_mass left in the data. Buffers grow to the largest set of rows and then never allocate. Source:
/// Keith et al. (2008), Eq. 16 and Sec. 2.3; the recursion is Featherstone (2008), Sec. 7.3, with six load
/// cases a touched link and no motion.
class OperationalSpace {
public:
    explicit OperationalSpace(const ArticulatedModel& model);

    /// Makes room for so many rows.
    void reserve(Index rows);
    void clear();

    /// Rows whose unit multipliers exert on `link`, at `world_point`, the columns of `forces` (3, k) [N] and
    /// of `moments` (3, k) [N·m], world axes. Needs forward_kinematics. Returns the index of the first row.
    Index add(const ArticulatedData& data, int link, const Vector3d& world_point,
              const Eigen::Ref<const Points>& forces, const Eigen::Ref<const Points>& moments);
    [[nodiscard]] Index rows() const { return m_rows; }

    /// Forms Λ⁻¹ from the last factorize_mass. Call once all rows are in.
    void assemble(const ArticulatedModel& model, const ArticulatedData& data);

    /// Λ⁻¹ (rows, rows), symmetric: accelerations of the rows per unit of their multipliers.
    [[nodiscard]] Eigen::Map<const MatrixXd> inverse_inertia() const;

    /// out (nv) = A⁻¹ Jᵀ multipliers, O(n + rows).
    void response(const ArticulatedModel& model, ArticulatedData& data,
                  const Eigen::Ref<const VectorXd>& multipliers, Eigen::Ref<VectorXd> out) const;

private:
    struct Run {
        int touched = 0;  ///< index into m_touched
        Index first = 0, count = 0;
    };

    void respond(const ArticulatedModel& model, const ArticulatedData& data, int loaded);
    [[nodiscard]] Eigen::Map<const Matrix6Xd> wrenches(const Run& run) const
    {
        return {m_wrenches.data() + 6 * run.first, 6, run.count};
    }

    std::vector<int> m_parents;
    std::vector<int> m_touched;       ///< links with rows
    std::vector<int> m_touched_of;    ///< per link: index into m_touched, −1
    std::vector<char> m_reached;      ///< per link: on the way from the root to a touched link
    std::vector<Run> m_runs;          ///< consecutive rows on one link
    std::vector<double> m_wrenches;   ///< (6, rows), link axes at the link origin
    std::vector<Matrix6d> m_motion;   ///< per link: accelerations under the load cases at hand
    std::vector<Matrix6d> m_omega;    ///< (touched, touched): response of the first to wrenches on the second
    Matrix6Xd m_pivot_load;           ///< (6, nv): load cases × freedoms
    std::vector<double> m_inverse;    ///< (rows, rows)
    std::vector<double> m_projected;  ///< (6, rows)
    Index m_rows = 0;
};

}  // namespace softcontact

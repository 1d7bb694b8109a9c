// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <softcontact/solver/block_rows.hpp>
#include <softcontact/world/link_carrier.hpp>
#include <vector>

namespace softcontact {

/// Constraint rows of a step on one body of links: wrenches on links, or single coordinates.
///
/// What unit wrenches on a link exert on the joints, and the half solve of it, are found once a link. Rows of
/// G, W = G Gᵀ, are products with these, so that m points on k links of n freedoms cost O(k n + m).
/// Source: Keith et al. (2008), Sec. 2.3, and Featherstone (2008), Sec. 6.5.
class LinkRows {
public:
    static constexpr int none = -1;
    using Wrenches = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
    using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;
    /// Rows of one block, wherever they act.
    struct Entry {
        int block = 0, offset = 0, rows = 0;
        std::array<int, 2> reaches{none, none};     ///< of the links that they act on
        std::array<std::size_t, 2> wrenches{0, 0};  ///< offsets in m_wrenches (6, rows)
        Index coordinate = none;
        double sign = 0.0;
        Index column = none;  ///< of a coordinate, among those
    };

    void clear();
    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }
    /// Unit multipliers exert these wrenches on a link, in world axes about its origin; a block has at most
    /// two such links. Blocks come in order.
    void add_wrenches(const LinkCarrier& carrier, const Entry& block, int link, const Wrenches& wrenches);
    /// The only row of a block acts on a coordinate along `sign`.
    void add_coordinate(const Entry& block, Index coordinate, double sign);

    /// Solves for the rows of G. Call once all are in.
    void prepare(const LinkCarrier& carrier, double step);
    /// Hands them to W, whose motions of this body begin at `first`.
    void hand_motions(int first, BlockRows& W) const;
    /// All of G, entry by entry, one below the other (rows, dof).
    [[nodiscard]] MatrixXd motions() const;
    /// Adds Hᵀ velocity to the rows.
    void project(const VectorXd& velocity, std::vector<double>& rows) const;
    /// out (dof) = A⁻¹ Hᵀ multipliers.
    void respond(const LinkCarrier& carrier, const Eigen::Ref<const VectorXd>& multipliers,
                 Eigen::Ref<VectorXd> out) const;
    /// Hᵀ of all rows, into their columns (dof, all rows).
    void generalized_forces(Eigen::Ref<MatrixXd> columns) const;

private:
    struct Reach {
        int link = none;
        MatrixXd columns, half;      ///< Hᵀ of unit wrenches, and its half solve (dof, 6)
        std::vector<int> stretches;  ///< where the second is not all zeros, by BlockRows::stretch
    };
    Entry& open(const Entry& block);
    [[nodiscard]] const Reach& reach(const Entry& entry, std::size_t side) const
    {
        return m_reaches[static_cast<std::size_t>(entry.reaches[side])];
    }
    /// Of an entry's rows, in world axes about the origin of the link.
    [[nodiscard]] Eigen::Map<const Matrix6X> wrenches(const Entry& entry, std::size_t side) const
    {
        return {m_wrenches.data() + entry.wrenches[side], 6, entry.rows};
    }
    /// The half solve of Hᵀ of an entry (dof, rows).
    void write_half(const Entry& entry, MatrixXd& out) const;

    std::vector<Entry> m_entries;
    std::vector<double> m_wrenches;
    std::vector<Reach> m_reaches;  ///< of which m_count are in use
    std::size_t m_count = 0;
    MatrixXd m_coordinates;  ///< half solves of what entries on coordinates exert
    Index m_coordinate_count = 0;
    Index m_dof = 0;
    double m_root = 0.0;        ///< of the step
    mutable Matrix6X m_twists;  ///< of the reaches, or loads on them
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <softcontact/contact/contact_point.hpp>
#include <softcontact/solver/body_operator.hpp>
#include <softcontact/types.hpp>
#include <softcontact/world/contact_islands.hpp>
#include <softcontact/world/contact_surface.hpp>
#include <softcontact/world/system.hpp>
#include <span>
#include <vector>

namespace softcontact {

/// A sum of a block's rows, each times its share.
struct RowMix {
    int block = 0;
    BlockVector along;
};

/// Constraint rows of a step and their Delassus operator W = h H A⁻¹ Hᵀ (velocity per newton).
///
/// Rows come in blocks of one contact: n, t, s (and the torsion row). A block reaches at most four systems:
/// on either side a link and a local field. Link columns are dense over the joints; local fields keep only
/// the nodes that a contact touches, so that W costs nothing beyond them. Buffers grow to the largest step
/// seen and stay.
class ContactRows {
public:
    using Systems = std::vector<std::unique_ptr<System>>;

    /// Makes room ahead for so many blocks and rows.
    void reserve(std::size_t blocks, std::size_t rows);
    /// Systems of the last step.
    [[nodiscard]] int system_count() const { return static_cast<int>(m_by_system.size()); }
    /// Forgets all rows; `systems` must outlive the use of the rows.
    void begin_step(const Systems& systems, double step);
    [[nodiscard]] double step() const { return m_step; }  ///< [s]
    /// Opens a block of `rows` rows (1 to 6).
    void begin_block(int rows);
    /// One side of the open block; `reference` is a point near the contact that moments are taken about,
    /// `sign` +1 for A, −1 for B.
    void begin_side(const ContactSurface& surface, const Vector3d& reference, double sign);
    /// Contact point on the open side: where it is attached, and what a unit multiplier of each row exerts
    /// there on A (3 × rows). The sign of the side is applied here.
    void add_point(const SurfacePoint& point, const Vector3d& position, const RowForces& directions);
    /// Pure moments on the open side about world axes, one a row, where a link carries it.
    void add_couple(const RowForces& moments);
    void end_side();
    /// The open block's only row acts on one velocity coordinate of a system, along `sign`.
    void add_coordinate(int system, Index coordinate, double sign);

    /// Solves for A⁻¹Hᵀ and forms W and u_free. Call once all blocks are in.
    void assemble();

    [[nodiscard]] int row_count() const { return m_row_count; }
    [[nodiscard]] int block_count() const { return static_cast<int>(m_blocks.size()); }
    [[nodiscard]] int block_offset(int block) const
    {
        return m_blocks[static_cast<std::size_t>(block)].offset;
    }
    [[nodiscard]] int block_rows(int block) const { return m_blocks[static_cast<std::size_t>(block)].rows; }
    /// W, symmetric [m/s per N].
    [[nodiscard]] const BlockRows& delassus() const { return m_delassus; }
    /// Lets the last rows of a block yield by themselves as well: by a share of what its first row does. In
    /// the order of the blocks.
    void yield_last(int block, int rows, double share);
    /// Forms u_free again from the systems' free velocities.
    void renew_free_velocity();
    /// Relative velocity of each row without contact forces [m/s].
    [[nodiscard]] Eigen::Map<const VectorXd> free_velocity() const;
    /// Adds to the open block's free velocity: what a surface moves at by itself.
    void add_free_velocity(int row, double velocity)
    {
        m_free_velocity[static_cast<std::size_t>(m_blocks.back().offset + row)] += velocity;
    }
    /// Relative velocity of a row of a block at the start of the step [m/s]; of prescribed surfaces it is the
    /// mean.
    [[nodiscard]] double start_velocity(int block, int row) const;

    /// scale · A⁻¹Hᵀ multipliers, for one system (dof). Zero where no contact reaches it.
    [[nodiscard]] Eigen::Map<const VectorXd> response(int system,
                                                      const Eigen::Ref<const VectorXd>& multipliers,
                                                      double scale);

    void find_islands(ContactIslands& islands) const;
    /// W of the blocks, or of the mixes of rows, of one island times a scale, body by body. Either come in
    /// the order of their blocks; rows are counted from the first of them on.
    void describe(std::span<const int> systems, std::span<const int> blocks, std::span<const RowMix> mixes,
                  double scale, BodyOperator& out) const;

    /// Whether some multiplier that reaches a system is not zero.
    [[nodiscard]] bool touched(int system, const Eigen::Ref<const VectorXd>& multipliers) const;

    /// Hᵀ of all rows on a system without local fields, one column a row (dof, rows): generalized force of a
    /// unit multiplier. Zero where a contact does not reach it.
    void generalized_forces(int system, Eigen::Ref<MatrixXd> columns) const;

private:
    struct Block {
        int offset = 0;
        int rows = 0;
    };
    /// Hᵀ of one block on one system, and A⁻¹Hᵀ.
    struct Entry {
        int block = 0;
        int rows = 0;
        bool sparse = false;
        std::size_t columns = 0;  ///< offset of Hᵀ in m_columns: (dof × rows), or (3·nodes × rows)
        std::size_t nodes = 0;    ///< offset of the node list in m_nodes
        int node_count = 0;
        std::size_t responses = 0;  ///< offset of A⁻¹Hᵀ in m_responses (dof × rows)
        int link = no_link;         ///< that bears all of it
        std::size_t wrenches =
            0;  ///< of a link: offset in m_wrenches (6 × rows), world axes, about its origin
    };
    static constexpr int no_link = -1, several_links = -2;
    struct SystemEntries {
        std::vector<Entry> entries;
        const LinkCarrier* carrier = nullptr;
        std::vector<int> touched, place_of_link;  ///< links with entries; their places, −1 for none
        MatrixXd reach, reached, omega;           ///< Hᵀ of unit wrenches on them, A⁻¹ of it, and H A⁻¹ Hᵀ
        std::size_t responses_begin = 0;
        std::vector<int> slot_of_node;  ///< −1 where the open entry does not hold the node
        VectorXd accumulated;
    };

    Entry& entry_for(int system, bool sparse);
    void add_node(SystemEntries& owner, int node, const RowForces& directions);
    void keep_wrenches(Entry& entry, SystemEntries& owner);
    void solve_system(std::size_t system);
    /// Hᵀ of an entry's row times a velocity of its system.
    [[nodiscard]] double project(const Entry& entry, int row, const VectorXd& velocity) const;
    /// W of a system by its links: rows on one link share its 6 × 6 responses, so that m points on k links
    /// cost O(n k + m²) rather than O(n m²). Source: Keith et al. (2008), Sec. 2.3.
    void couple_by_links(std::size_t system);
    /// h H A⁻¹ Hᵀ of two entries of one system.
    [[nodiscard]] BlockMatrix compliance(const Entry& left, const Entry& right, Index dof) const;
    void couple(const Entry& left, const Entry& right, Index dof);
    void add_coupling(const Entry& left, const Entry& right, const BlockMatrix& coupling);
    void set_pattern();
    /// The rows of G of all entries of a system, W = G Gᵀ, one below the other.
    [[nodiscard]] MatrixXd root(std::size_t system) const;

    const Systems* m_systems = nullptr;
    std::vector<SystemEntries> m_by_system;
    std::vector<Block> m_blocks;
    int m_row_count = 0;
    double m_step = 0.0;

    const ContactSurface* m_surface = nullptr;
    double m_sign = 1.0;
    Vector3d m_reference = Vector3d::Zero();
    RowForces m_force;
    RowForces m_moment;

    std::vector<double> m_columns;
    std::vector<int> m_nodes;
    std::vector<double> m_responses;
    std::vector<double> m_wrenches;
    BlockRows m_delassus;
    std::vector<std::vector<int>> m_coupled;    ///< blocks that each block shares a system with
    std::vector<std::pair<int, int>> m_places;  ///< first row and rows of the blocks
    std::vector<double> m_free_velocity;
    struct Yield {
        int block = 0, row = 0;
        double compliance = 0.0;
    };
    std::vector<Yield> m_yields;       ///< of rows by themselves, in the order of their blocks
    std::vector<double> m_prescribed;  ///< what of it is prescribed
};

}  // namespace softcontact

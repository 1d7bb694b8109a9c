// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <softcontact/contact/contact_point.hpp>
#include <softcontact/solver/body_operator.hpp>
#include <softcontact/types.hpp>
#include <softcontact/world/contact_islands.hpp>
#include <softcontact/world/contact_surface.hpp>
#include <softcontact/world/link_rows.hpp>
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
/// on either side a link and a local field. Fields keep only the nodes that a contact touches, so that W
/// costs nothing beyond them. Of bodies of links, W is told by G, W = G Gᵀ (LinkRows). Buffers grow to the
/// largest step seen and stay.
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
    /// Relative velocity of all rows at the start of the step [m/s]; of prescribed surfaces it is the mean.
    [[nodiscard]] VectorXd start_velocity() const;
    /// W multipliers, by which they change the relative velocity of all rows [m/s].
    [[nodiscard]] VectorXd change_by(const std::vector<double>& multipliers) const;

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

    /// Hᵀ of all rows on a body of links, one column a row (dof, rows): generalized force of a
    /// unit multiplier. Zero where a contact does not reach it.
    void generalized_forces(int system, Eigen::Ref<MatrixXd> columns) const;

private:
    struct Block {
        int offset = 0;
        int rows = 0;
    };
    /// Hᵀ of one block on one field, and A⁻¹Hᵀ.
    struct Entry {
        int block = 0;
        int rows = 0;
        std::size_t columns = 0;  ///< offset of Hᵀ in m_columns (3·nodes × rows)
        std::size_t nodes = 0;    ///< offset of the node list in m_nodes
        int node_count = 0;
        std::size_t responses = 0;  ///< offset of A⁻¹Hᵀ in m_responses (dof × rows)
    };
    struct SystemEntries {
        std::vector<Entry> entries;  ///< of a field
        const TetrahedralSystem* field = nullptr;
        LinkRows links;                 ///< of a body of links
        std::vector<int> slot_of_node;  ///< −1 where the open entry does not hold the node
        VectorXd accumulated;
    };

    [[nodiscard]] LinkRows::Entry open_block() const
    {
        LinkRows::Entry entry;
        entry.block = block_count() - 1;
        entry.offset = m_blocks.back().offset;
        entry.rows = m_blocks.back().rows;
        return entry;
    }
    /// visit(block) of each that reaches a system, in order.
    template <typename Visitor>
    void for_each_block(const SystemEntries& owner, const Visitor& visit) const
    {
        for (const Entry& entry : owner.entries) {
            visit(entry.block);
        }
        for (const LinkRows::Entry& entry : owner.links.entries()) {
            visit(entry.block);
        }
    }
    Entry& entry_for(int system);
    void add_node(SystemEntries& owner, int node, const RowForces& directions);
    void solve_system(std::size_t system);
    /// Hᵀ of an entry's row times a velocity of its system.
    [[nodiscard]] double project(const Entry& entry, int row, const VectorXd& velocity) const;
    /// Adds Hᵀ of all rows on the systems times a velocity of theirs to `out`, one a row.
    template <typename Velocity>
    void project_all(const Velocity& velocity, std::vector<double>& out) const;
    /// h H A⁻¹ Hᵀ of two entries of one system.
    [[nodiscard]] BlockMatrix compliance(const Entry& left, const Entry& right, Index dof) const;
    void couple(const Entry& left, const Entry& right, Index dof);
    void set_pattern();
    /// What all entries of tissue make of W, one below the other.
    [[nodiscard]] MatrixXd compliance_of(std::size_t system) const;

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
    BlockRows m_delassus;
    std::vector<std::vector<int>> m_coupled;    ///< blocks that each block shares a field with
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

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/solver/block_lu.hpp"
#include "softcontact/solver/contact_operator.hpp"

namespace softcontact {

/// W = Σ G K Gᵀ over bodies, with what rows yield by themselves: a block has rows of G with the few bodies
/// that it reaches, so that products cost no more than there are contacts, and Newton's equations are those
/// of the bodies' motions, never singular and as sparse as the bodies touch each other.
///
///     (1 + K Gᵀ T S G / added) z = K Gᵀ T off,   step = T (off - S G z / added)
///
/// T = (1 + S E / added)⁻¹ a block, E what rows yield by themselves, z = K Gᵀ step. K is 1 for links and
/// rigid bodies. Tissue has as many motions as rows: they are its rows' velocities, and K its part of W, so
/// that nothing of it has to be factored beforehand or multiplied out.
class BodyOperator final : public ContactOperator {
public:
    /// Forgets everything; `rows` are those of all blocks.
    void clear(int rows);
    /// A body with so many columns of G; returns its number.
    int add_body(int size);
    /// A body with its own K (size, size), symmetric, not negative.
    int add_body(MatrixXd K);
    /// Opens the next block, whose first row this is.
    void begin_block(int row);
    /// What G of a body has in the rows of the open block (rows, columns), from its `first` column on; zero
    /// in the others.
    void add_rows(int body, const Eigen::Ref<const MatrixXd>& rows, int first = 0);
    /// A row yields by so much on its own [m/(s N)].
    void yield(int row, double compliance) { m_own[row] += compliance; }
    /// Call once all blocks are in.
    void prepare();

    void multiply(const VectorXd& load, VectorXd& velocity) override;
    [[nodiscard]] BlockMatrix own(const BlockDescriptor& block) const override;
    bool find_step(std::span<const BlockDescriptor> blocks, std::span<const BlockMatrix> slopes,
                   const VectorXd& added, const VectorXd& off, VectorXd& step, VectorXd& turn) override;
    [[nodiscard]] bool is_finite() const override;

private:
    struct Part {
        int body = 0;
        int rows = 0;
        int first = 0, columns = 0;
        std::size_t offset = 0;  ///< of its (rows, columns) in m_values
        std::size_t lifted = 0;  ///< of K rowsᵀ (size, rows) in m_lifted, where the body has a K
    };
    using Rows = Eigen::Map<const MatrixXd>;
    [[nodiscard]] std::span<const Part> parts(std::size_t block) const;
    [[nodiscard]] Rows rows(const Part& part) const;
    [[nodiscard]] bool has_compliance(const Part& part) const;
    /// K rowsᵀ of a body with a K (size, rows).
    [[nodiscard]] Rows lifted(const Part& part) const;
    void add_coupling(const Part& left, const BlockMatrix& coupling, const Part& right);
    /// m_motion = K Gᵀ load.
    void gather(const VectorXd& load);
    /// velocity = G m_motion.
    void spread(VectorXd& velocity) const;

    std::vector<int> m_sizes, m_first;      ///< of bodies
    std::vector<std::size_t> m_first_part;  ///< of blocks, and one past the end
    std::vector<Part> m_parts;
    std::vector<double> m_values, m_lifted;
    std::vector<MatrixXd> m_compliance;  ///< K of bodies, empty where it is 1
    std::vector<int> m_block_first;      ///< row of blocks
    VectorXd m_own, m_motion, m_load;
    std::vector<BlockMatrix> m_eased;  ///< T a block
    BlockLu m_factor;
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "softcontact/friction/block_descriptor.hpp"

namespace softcontact {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// A dense W without copying it: row-major maps, blocks and matrices bind to it.
using RowMajorRef = Eigen::Ref<const RowMajorMatrix>;

/// W = E + G Gᵀ by rows of blocks. E has no zeros between bodies that do not touch each other: either a look
/// at a dense W, or a matrix of its own. G are rows over the motions of bodies that have few, so that
/// products cost what the rows of a block reach, however many other blocks do. Keeps its buffers.
class BlockRows {
public:
    using Block = Eigen::Map<RowMajorMatrix, 0, Eigen::OuterStride<>>;
    using ConstBlock = Eigen::Map<const RowMajorMatrix, 0, Eigen::OuterStride<>>;

    void reserve(int rows, int blocks);

    /// Looks at W once, without G; it must stay alive and unchanged until the next call.
    void look_at(const RowMajorRef& W, std::span<const BlockDescriptor> blocks);
    /// E of zeros: (first row, rows) of the blocks, one after the other, and the blocks that each is coupled
    /// to, itself among them, in order. No G yet.
    void set_pattern(std::span<const std::pair<int, int>> blocks, std::span<const std::vector<int>> coupled);
    /// A block of E.
    [[nodiscard]] Block block(int i, int j);
    [[nodiscard]] ConstBlock block(int i, int j) const;
    [[nodiscard]] std::span<const int> coupled(int block) const;

    /// Motions come in stretches of so many, as a rigid body has; a shorter one is filled up with zeros.
    static constexpr int stretch = 6;
    using Motions = Eigen::Matrix<double, Eigen::Dynamic, stretch, Eigen::RowMajor, 6, stretch>;
    /// G of a block over a stretch of motions from `first` on, beside what it has over others.
    void add_motions(int block, int first, const Motions& rows);
    /// Call once E and G are complete: there are so many motions in all.
    void prepare(int motions);
    /// A row of a prepared W yields by so much on its own.
    void yield(int block, int row, double compliance);
    /// visit(first motion, G over the stretch from there on) of a block.
    template <typename Visitor>
    void for_each_motion(int block, const Visitor& visit) const
    {
        const Strip& strip = m_strips[static_cast<std::size_t>(block)];
        for (std::size_t k = strip.first_part; k < strip.end_part; ++k) {
            const Part& part = m_parts[k];
            visit(part.first,
                  Eigen::Map<const Motions>(m_motion_values.data() + part.values, strip.rows, stretch));
        }
    }

    /// The diagonal block of W.
    [[nodiscard]] ConstBlock own(int block) const;
    /// motion = Gᵀ λ.
    void gather(const double* lambda, std::vector<double>& motion) const;
    /// motion += Gᵀ of a change of one block.
    void move(int block, const double* change, std::vector<double>& motion) const;
    /// out[0..rows) = (W λ) at the rows of one block, with motion = Gᵀ λ.
    void multiply(int block, const double* lambda, const std::vector<double>& motion, double* out) const;
    /// All of W (rows, rows).
    void write(RowMajorMatrix& out) const;
    [[nodiscard]] int motion_count() const { return m_motions; }
    [[nodiscard]] int block_count() const { return static_cast<int>(m_strips.size()); }

private:
    void clear();
    /// Columns that follow each other and are not all zero.
    struct Run {
        int first = 0, length = 0;
        const double* values = nullptr;  ///< of the block's first row
    };
    struct Strip {
        int offset = 0, rows = 0;
        std::size_t first_run = 0, end_run = 0, first_coupled = 0, end_coupled = 0, values = 0;
        std::size_t first_part = 0, end_part = 0, own_place = 0;
        Index stride = 0, own_stride = 0;
        const double* own = nullptr;
    };
    /// G of a block over a stretch of motions.
    struct Part {
        int block = 0, first = 0;
        std::size_t values = 0;
    };
    std::vector<Strip> m_strips;
    std::vector<Run> m_runs;
    std::vector<int> m_coupled, m_columns;  ///< blocks of each strip, and their columns within it
    std::vector<double> m_values, m_motion_values, m_own;
    std::vector<Part> m_parts;
    int m_motions = 0;
};

}  // namespace softcontact

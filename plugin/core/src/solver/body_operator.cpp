// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/body_operator.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace softcontact {

namespace {

using Rows = Eigen::Map<const MatrixXd>;
using Point = Eigen::Matrix<double, 3, 6>;
using Six = Eigen::Matrix<double, 6, 1>;

/// out += leftᵀ middle right. Points on bodies of six freedoms are most of what there is.
void add_product(const Rows& left, const BlockMatrix& middle, const Rows& right, Eigen::Map<MatrixXd>& out)
{
    if (left.rows() == 3 && left.cols() == 6 && right.cols() == 6) {
        const Matrix3d inner = middle.topLeftCorner<3, 3>();
        const Point answered = inner.lazyProduct(Eigen::Map<const Point>(right.data()));
        Eigen::Map<Eigen::Matrix<double, 6, 6>>(out.data()).noalias() +=
            Eigen::Map<const Point>(left.data()).transpose().lazyProduct(answered);
        return;
    }
    out.noalias() += left.transpose() * (middle * right);
}

/// motion += rowsᵀ load.
void add_transposed(const Rows& rows, const double* load, double* motion)
{
    if (rows.rows() == 3 && rows.cols() == 6) {
        Eigen::Map<Six>(motion).noalias() +=
            Eigen::Map<const Point>(rows.data()).transpose().lazyProduct(Eigen::Map<const Vector3d>(load));
        return;
    }
    Eigen::Map<VectorXd>(motion, rows.cols()).noalias() +=
        rows.transpose() * Eigen::Map<const VectorXd>(load, rows.rows());
}

/// velocity += rows motion.
void add_direct(const Rows& rows, const double* motion, double* velocity)
{
    if (rows.rows() == 3 && rows.cols() == 6) {
        Eigen::Map<Vector3d>(velocity).noalias() +=
            Eigen::Map<const Point>(rows.data()).lazyProduct(Eigen::Map<const Six>(motion));
        return;
    }
    Eigen::Map<VectorXd>(velocity, rows.rows()).noalias() +=
        rows * Eigen::Map<const VectorXd>(motion, rows.cols());
}

}  // namespace

void BodyOperator::clear(int rows)
{
    m_sizes.clear();
    m_first.clear();
    m_first_part.clear();
    m_parts.clear();
    m_values.clear();
    m_lifted.clear();
    m_compliance.clear();
    m_block_first.clear();
    m_own.setZero(rows);
}

int BodyOperator::add_body(int size)
{
    m_first.push_back(m_first.empty() ? 0 : m_first.back() + m_sizes.back());
    m_sizes.push_back(size);
    m_compliance.emplace_back();
    return static_cast<int>(m_sizes.size()) - 1;
}

int BodyOperator::add_body(MatrixXd K)
{
    const int body = add_body(static_cast<int>(K.rows()));
    m_compliance.back() = std::move(K);
    return body;
}

void BodyOperator::begin_block(int row)
{
    m_block_first.push_back(row);
    m_first_part.push_back(m_parts.size());
}

void BodyOperator::add_rows(int body, const Eigen::Ref<const MatrixXd>& rows, int first)
{
    Part part{
        body,           static_cast<int>(rows.rows()), first, static_cast<int>(rows.cols()), m_values.size(),
        m_lifted.size()};
    m_values.insert(m_values.end(), static_cast<std::size_t>(rows.size()), 0.0);
    Eigen::Map<MatrixXd>(m_values.data() + part.offset, rows.rows(), rows.cols()) = rows;
    if (has_compliance(part)) {
        const MatrixXd& K = m_compliance[static_cast<std::size_t>(body)];
        m_lifted.resize(part.lifted + static_cast<std::size_t>(K.rows() * rows.rows()));
        Eigen::Map<MatrixXd>(m_lifted.data() + part.lifted, K.rows(), rows.rows()).noalias() =
            K.middleCols(first, rows.cols()) * rows.transpose();
    }
    m_parts.push_back(part);
}

bool BodyOperator::has_compliance(const Part& part) const
{
    return m_compliance[static_cast<std::size_t>(part.body)].size() > 0;
}

BodyOperator::Rows BodyOperator::lifted(const Part& part) const
{
    return {m_lifted.data() + part.lifted, m_sizes[static_cast<std::size_t>(part.body)], part.rows};
}

void BodyOperator::prepare()
{
    m_first_part.push_back(m_parts.size());
    std::vector<std::pair<int, int>> pairs;
    for (std::size_t b = 0; b + 1 < m_first_part.size(); ++b) {
        for (const Part& left : parts(b)) {
            for (const Part& right : parts(b)) {
                if (left.body < right.body) {
                    pairs.emplace_back(left.body, right.body);
                }
            }
        }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    m_factor.set_pattern(m_sizes, pairs);
    m_motion.resize(m_factor.size());
}

std::span<const BodyOperator::Part> BodyOperator::parts(std::size_t block) const
{
    return std::span<const Part>(m_parts).subspan(m_first_part[block],
                                                  m_first_part[block + 1] - m_first_part[block]);
}

BodyOperator::Rows BodyOperator::rows(const Part& part) const
{
    return {m_values.data() + part.offset, part.rows, part.columns};
}

void BodyOperator::gather(const VectorXd& load)
{
    m_motion.setZero();
    for (std::size_t b = 0; b < m_block_first.size(); ++b) {
        for (const Part& part : parts(b)) {
            const auto body = static_cast<std::size_t>(part.body);
            add_transposed(rows(part), load.data() + m_block_first[b],
                           m_motion.data() + m_first[body] + part.first);
        }
    }
    for (std::size_t body = 0; body < m_sizes.size(); ++body) {
        if (m_compliance[body].size() > 0) {
            auto own = m_motion.segment(m_first[body], m_sizes[body]);
            own = (m_compliance[body] * own).eval();
        }
    }
}

void BodyOperator::spread(VectorXd& velocity) const
{
    velocity.setZero(m_own.size());
    for (std::size_t b = 0; b < m_block_first.size(); ++b) {
        for (const Part& part : parts(b)) {
            const auto body = static_cast<std::size_t>(part.body);
            add_direct(rows(part), m_motion.data() + m_first[body] + part.first,
                       velocity.data() + m_block_first[b]);
        }
    }
}

void BodyOperator::multiply(const VectorXd& load, VectorXd& velocity)
{
    gather(load);
    spread(velocity);
    velocity += m_own.cwiseProduct(load);
}

BlockMatrix BodyOperator::own(const BlockDescriptor& block) const
{
    BlockMatrix own = m_own.segment(block.offset, block.rows).asDiagonal();
    const auto found = std::lower_bound(m_block_first.begin(), m_block_first.end(), block.offset);
    for (const Part& part : parts(static_cast<std::size_t>(found - m_block_first.begin()))) {
        if (has_compliance(part)) {
            own.noalias() += rows(part) * lifted(part).middleRows(part.first, part.columns);
        } else {
            own.noalias() += rows(part) * rows(part).transpose();
        }
    }
    return own;
}

bool BodyOperator::is_finite() const
{
    const auto all_finite = [](const std::vector<double>& values) {
        return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
    };
    return m_own.allFinite() && all_finite(m_values) && all_finite(m_lifted);
}

/// Adds K leftᵀ coupling right to their bodies' block of Newton's matrix.
void BodyOperator::add_coupling(const Part& left, const BlockMatrix& coupling, const Part& right)
{
    auto block = m_factor.block(left.body, right.body);
    if (has_compliance(left)) {
        block.middleCols(right.first, right.columns).noalias() += lifted(left) * (coupling * rows(right));
    } else if (has_compliance(right)) {
        block.block(left.first, right.first, left.columns, right.columns).noalias() +=
            rows(left).transpose() * (coupling * rows(right));
    } else {
        add_product(rows(left), coupling, rows(right), block);
    }
}

bool BodyOperator::find_step(std::span<const BlockDescriptor> blocks, std::span<const BlockMatrix> slopes,
                             const VectorXd& added, const VectorXd& off, VectorXd& step, VectorXd& turn)
{
    m_factor.set_identity();
    m_load = off;
    m_eased.resize(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const int o = blocks[b].offset, r = blocks[b].rows;
        if (slopes[b].isZero(0.0)) {
            continue;
        }
        BlockMatrix coupling = slopes[b] * added.segment(o, r).cwiseInverse().asDiagonal();
        m_eased[b].setIdentity(r, r);
        if (!m_own.segment(o, r).isZero(0.0)) {
            m_eased[b] += coupling * m_own.segment(o, r).asDiagonal();
            m_eased[b] = m_eased[b].inverse().eval();
            m_load.segment(o, r) = m_eased[b] * off.segment(o, r);
            coupling = (m_eased[b] * coupling).eval();
        }
        for (const Part& left : parts(b)) {
            for (const Part& right : parts(b)) {
                add_coupling(left, coupling, right);
            }
        }
    }
    if (!m_factor.factor()) {
        return false;
    }
    gather(m_load);
    m_factor.solve(m_motion);
    spread(turn);
    step = off;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const int o = blocks[b].offset, r = blocks[b].rows;
        if (!slopes[b].isZero(0.0)) {
            const BlockVector moved = turn.segment(o, r).cwiseQuotient(added.segment(o, r));
            step.segment(o, r) = m_eased[b] * (off.segment(o, r) - slopes[b] * moved);
        }
    }
    turn = -(turn + m_own.cwiseProduct(step)).cwiseQuotient(added).eval();
    return step.allFinite() && turn.allFinite();
}

}  // namespace softcontact

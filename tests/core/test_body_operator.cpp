// SPDX-License-Identifier: LGPL-2.1-or-later
// W body by body against the same W dense: products, own blocks and Newton's steps; LU by blocks.
#undef NDEBUG
#include <Eigen/LU>
#include <cassert>
#include <random>

#include "random_matrix.hpp"
#include "softcontact/solver/block_gauss_seidel.hpp"
#include "softcontact/solver/block_newton.hpp"
#include "softcontact/solver/body_operator.hpp"

using namespace softcontact;

namespace {

/// W as it is.
class PlainOperator final : public ContactOperator {
public:
    explicit PlainOperator(const MatrixXd& W) : m_W(W) {}
    void multiply(const VectorXd& load, VectorXd& velocity) override { velocity = m_W * load; }
    [[nodiscard]] BlockMatrix own(const BlockDescriptor& block) const override
    {
        return m_W.block(block.offset, block.offset, block.rows, block.rows);
    }
    bool find_step(std::span<const BlockDescriptor> blocks, std::span<const BlockMatrix> slopes,
                   const VectorXd& added, const VectorXd& off, VectorXd& step, VectorXd& turn) override
    {
        MatrixXd S = MatrixXd::Zero(off.size(), off.size());
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            S.block(blocks[b].offset, blocks[b].offset, blocks[b].rows, blocks[b].rows) = slopes[b];
        }
        const MatrixXd scaled = added.cwiseInverse().asDiagonal() * m_W;
        step = (MatrixXd::Identity(off.size(), off.size()) + S * scaled).fullPivLu().solve(off);
        turn = -scaled * step;
        return true;
    }
    [[nodiscard]] bool is_finite() const override { return true; }

private:
    MatrixXd m_W;
};

/// Six bodies in a row, bodies of other sizes than six among them, two with a compliance of their own as of
/// tissue, and a ring of contacts over them.
struct Chain {
    BodyOperator bodies;
    RowMajorMatrix W;
    std::vector<BlockDescriptor> blocks;

    Chain()
    {
        const std::vector<int> sizes{6, 2, 6, 9, 6, 15};
        const std::vector<int> rows{3, 1, 3, 6, 3, 3, 1};
        const auto is_tissue = [](std::size_t body) { return body == 3 || body == 5; };
        int total = 0;
        for (const int r : rows) {
            total += r;
        }
        bodies.clear(total);
        Index width = 0;
        std::vector<Index> first;
        MatrixXd K = MatrixXd::Identity(64, 64);
        for (std::size_t body = 0; body < sizes.size(); ++body) {
            const int size = sizes[body];
            first.push_back(width);
            if (is_tissue(body)) {
                const MatrixXd root = random_matrix(size, size - 2);  // redundant rows
                K.block(width, width, size, size) = root * root.transpose();
                bodies.add_body(MatrixXd(K.block(width, width, size, size)));
            } else {
                bodies.add_body(size);
            }
            width += size;
        }
        MatrixXd G = MatrixXd::Zero(total, width);
        int row = 0;
        for (std::size_t b = 0; b < rows.size(); ++b) {
            bodies.begin_block(row);
            for (const std::size_t body : {b % sizes.size(), (b + 1) % sizes.size()}) {
                const int window = is_tissue(body) ? std::min(3, sizes[body]) : sizes[body];
                const int from = is_tissue(body) ? static_cast<int>(b) % (sizes[body] - window) : 0;
                const MatrixXd part = random_matrix(rows[b], window);
                bodies.add_rows(static_cast<int>(body), part, from);
                G.block(row, first[body] + from, rows[b], window) = part;
            }
            BlockDescriptor block;
            block.offset = row;
            block.rows = rows[b];
            block.mu = 0.5;
            blocks.push_back(block);
            row += rows[b];
        }
        W = G * K.topLeftCorner(width, width) * G.transpose();
        for (const int yielding : {1, 12}) {
            bodies.yield(yielding, 0.3);
            W(yielding, yielding) += 0.3;
        }
        bodies.prepare();
    }
};

void products_are_those_of_the_matrix()
{
    Chain chain;
    const VectorXd load = random_matrix(chain.W.rows(), 1);
    VectorXd velocity;
    chain.bodies.multiply(load, velocity);
    assert((velocity - chain.W * load).lpNorm<Eigen::Infinity>() < 1e-12);
    for (const BlockDescriptor& block : chain.blocks) {
        const auto own = chain.W.block(block.offset, block.offset, block.rows, block.rows);
        assert((chain.bodies.own(block) - own).lpNorm<Eigen::Infinity>() < 1e-12);
    }
}

void steps_are_those_of_the_matrix(double compliance)
{
    Chain chain;
    PlainOperator dense(chain.W);
    const Index rows = chain.W.rows();
    std::vector<BlockMatrix> slopes;
    for (const BlockDescriptor& block : chain.blocks) {  // as of friction that slips: not symmetric
        BlockMatrix slope = BlockMatrix::Identity(block.rows, block.rows);
        if (block.rows == 3) {
            slope(1, 0) = 0.4;
            slope(1, 1) = 0.0;
        }
        slopes.push_back(slope);
    }
    slopes[2].setZero();  // a contact that is open
    const VectorXd added = VectorXd::Constant(rows, compliance), off = random_matrix(rows, 1);
    VectorXd step, turn, dense_step, dense_turn;
    assert(chain.bodies.find_step(chain.blocks, slopes, added, off, step, turn));
    assert(dense.find_step(chain.blocks, slopes, added, off, dense_step, dense_turn));
    const double size = dense_step.lpNorm<Eigen::Infinity>();
    assert((step - dense_step).lpNorm<Eigen::Infinity>() < 1e-8 * size);
    // And both are what they are said to be.
    VectorXd expected = off;
    for (std::size_t b = 0; b < chain.blocks.size(); ++b) {
        const int o = chain.blocks[b].offset, r = chain.blocks[b].rows;
        expected.segment(o, r) += slopes[b] * turn.segment(o, r);
    }
    assert((step - expected).lpNorm<Eigen::Infinity>() < 1e-8 * size);
    const VectorXd by_matrix = -(chain.W * step).cwiseQuotient(added);
    assert((turn - by_matrix).lpNorm<Eigen::Infinity>() < 1e-8 * by_matrix.lpNorm<Eigen::Infinity>());
}

void blocks_are_factored_as_a_whole(int bodies)
{
    std::vector<int> sizes;
    std::vector<std::pair<int, int>> pairs;
    std::uniform_int_distribution<int> some(0, bodies - 1);
    for (int i = 0; i < bodies; ++i) {
        sizes.push_back(i % 3 == 0 ? 4 : 6);
        for (const int j : {some(random_numbers), some(random_numbers)}) {
            if (i != j) {
                pairs.emplace_back(i, j);
            }
        }
    }
    BlockLu lu;
    lu.set_pattern(sizes, pairs);
    lu.set_identity();
    MatrixXd whole = MatrixXd::Identity(lu.size(), lu.size());
    std::vector<Index> first{0};
    for (const int size : sizes) {
        first.push_back(first.back() + size);
    }
    const auto add = [&](int i, int j, const MatrixXd& block) {
        lu.block(i, j) += block;
        const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
        whole.block(first[row], first[column], block.rows(), block.cols()) += block;
    };
    for (const auto& [i, j] : pairs) {
        const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
        add(i, j, 0.1 * random_matrix(sizes[row], sizes[column]));
        add(j, i, 0.1 * random_matrix(sizes[column], sizes[row]));
    }
    const VectorXd right = random_matrix(lu.size(), 1);
    VectorXd x = right;
    assert(lu.factor());
    lu.solve(x);
    assert((whole * x - right).lpNorm<Eigen::Infinity>() < 1e-11);
}

/// A pivot that is not regular is told.
void a_singular_pivot_is_refused()
{
    BlockLu lu;
    const std::vector<int> sizes{6};
    lu.set_pattern(sizes, {});
    lu.set_identity();
    lu.block(0, 0).setZero();
    assert(!lu.factor());
}

/// Rows between bodies that do not touch are not stored, and those that are stand where the dense W has them.
void rows_hold_what_is_coupled()
{
    BlockRows rows;
    const std::vector<std::pair<int, int>> places{{0, 3}, {3, 1}, {4, 3}};
    const std::vector<std::vector<int>> coupled{{0, 2}, {1}, {0, 2}};
    rows.set_pattern(places, coupled);
    MatrixXd dense = MatrixXd::Zero(7, 7);
    for (int i = 0; i < 3; ++i) {
        for (const int j : coupled[static_cast<std::size_t>(i)]) {
            const auto row = places[static_cast<std::size_t>(i)],
                       column = places[static_cast<std::size_t>(j)];
            const MatrixXd block = random_matrix(row.second, column.second);
            rows.block(i, j) = block;
            dense.block(row.first, column.first, row.second, column.second) = block;
        }
    }
    RowMajorMatrix written;
    rows.write(written);
    assert(written == dense);
    const VectorXd load = random_matrix(7, 1);
    double out[3];
    rows.multiply(2, load.data(), {}, out);
    assert((Eigen::Map<const Vector3d>(out) - dense.middleRows<3>(4) * load).norm() < 1e-14);
    assert(rows.own(1)(0, 0) == dense(3, 3));
}

/// A box of 1 kg on eight points, which bear it in many ways: Newton's are the same for both, and symmetric.
void forces_that_are_not_unique_are_those_of_the_least_change()
{
    const double half = 0.05, inertia = 4.0 * half * half / 6.0;
    RowMajorMatrix G(24, 6);
    BodyOperator bodies;
    bodies.clear(24);
    const int body = bodies.add_body(6);
    std::vector<BlockDescriptor> blocks;
    VectorXd q(24);
    for (int k = 0; k < 8; ++k) {
        const double angle = 0.25 * k * 3.14159265358979323846;
        const Vector3d point(half * std::cos(angle), half * std::sin(angle), -half);
        const Vector3d axes[] = {Vector3d::UnitZ(), Vector3d::UnitX(), Vector3d::UnitY()};
        for (int i = 0; i < 3; ++i) {
            G.row(3 * k + i) << axes[i].transpose(), (point.cross(axes[i]) / std::sqrt(inertia)).transpose();
        }
        bodies.begin_block(3 * k);
        bodies.add_rows(body, G.middleRows<3>(3 * k));
        q.segment<3>(3 * k) << -1.0, 0.2, 0.0;
        BlockDescriptor block;
        block.offset = 3 * k;
        block.rows = 3;
        block.mu = 0.5;
        blocks.push_back(block);
    }
    bodies.prepare();
    PlainOperator W(G * G.transpose());
    VectorXd by_bodies = VectorXd::Zero(24), by_matrix = by_bodies;
    BlockNewton newton;
    assert(newton.solve(bodies, q, blocks, {.velocity_tolerance = 1e-12}, by_bodies).converged);
    assert(newton.solve(W, q, blocks, {.velocity_tolerance = 1e-12}, by_matrix).converged);
    VectorXd beyond = by_bodies;  // a tolerance below round-off ends the steps, not the test
    assert(!newton.solve(bodies, q, blocks, {.velocity_tolerance = 1e-30}, beyond).converged);
    assert((by_bodies - by_matrix).lpNorm<Eigen::Infinity>() < 1e-6);
    for (int k = 1; k < 4; ++k) {  // pushed along x: what is at ±y is the same
        assert(std::abs(by_bodies[3 * k] - by_bodies[3 * (8 - k)]) < 1e-6);
    }
}

}  // namespace

int main()
{
    products_are_those_of_the_matrix();
    steps_are_those_of_the_matrix(1.0);
    steps_are_those_of_the_matrix(1e-4);
    blocks_are_factored_as_a_whole(1);
    blocks_are_factored_as_a_whole(40);
    a_singular_pivot_is_refused();
    rows_hold_what_is_coupled();
    forces_that_are_not_unique_are_those_of_the_least_change();
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// The factor of a tree against a dense one, and contact rows on links against H A⁻¹ Hᵀ as it is written.
#undef NDEBUG
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cassert>

#include "random_matrix.hpp"
#include "softcontact/bodies/tree_factor.hpp"
#include "softcontact/world/link_rows.hpp"

using namespace softcontact;

namespace {

/// A body on a free joint with two limbs: one of a ball joint, a fixed link and a hinge, one of two hinges.
ArticulatedModel limbs()
{
    ArticulatedModel model;
    const auto add = [&model](int parent, JointType joint) {
        LinkDescription link;
        link.name = "link" + std::to_string(model.link_count());
        link.parent = parent;
        link.joint = joint;
        link.placement.translation = 0.3 * random_matrix(3, 1);
        link.mass = 1.0;
        link.com = 0.1 * random_matrix(3, 1);
        link.inertia = 0.01 * Matrix3d::Identity();
        return model.add_link(link);
    };
    const int root = add(-1, JointType::free);
    const int ball = add(root, JointType::spherical);
    const int plate = add(ball, JointType::fixed);
    add(plate, JointType::revolute);
    const int upper = add(root, JointType::revolute);
    add(upper, JointType::revolute);
    return model;
}

/// Its matrix, factor and wrenches, as a system of the world gives them.
class Limbs final : public LinkCarrier {
public:
    Limbs() : m_model(limbs()), m_data(m_model), m_factor(m_model)
    {
        m_model.integrate(m_model.neutral(), random_matrix(m_model.nv(), 1), m_q = m_model.neutral());
        mass_matrix(m_model, m_data, m_q);
        m_system = m_data.mass;
        m_system.diagonal().array() += 0.1;
        assert(m_factor.factor(m_system));
    }
    [[nodiscard]] const Pose& link_pose(int link) const override
    {
        return m_data.pose[static_cast<std::size_t>(link)];
    }
    void write_wrenches(int link, MatrixXd& columns) const override
    {
        link_jacobian_transpose(m_model, m_data, link, columns);
    }
    void add_wrench(int link, const Vector3d& point, const Vector3d& force, const Vector3d& moment,
                    Eigen::Ref<VectorXd> generalized) const
    {
        Eigen::Matrix3Xd jacobian(3, freedoms());
        point_jacobian(m_model, m_data, link, point, jacobian);
        generalized += jacobian.transpose() * force;
        angular_jacobian(m_model, m_data, link, jacobian);
        generalized += jacobian.transpose() * moment;
    }
    [[nodiscard]] Index freedoms() const override { return m_model.nv(); }
    void half_solve(Eigen::Ref<MatrixXd> columns) const override
    {
        for (Index k = 0; k < columns.cols(); ++k) {
            m_factor.solve_transposed(columns.col(k).data());
        }
    }
    void other_half(Eigen::Ref<VectorXd> column) const override { m_factor.solve_lower(column.data()); }

    [[nodiscard]] const MatrixXd& system() const { return m_system; }
    [[nodiscard]] const TreeFactor& factor() const { return m_factor; }
    [[nodiscard]] const ArticulatedModel& model() const { return m_model; }

private:
    ArticulatedModel m_model;
    mutable ArticulatedData m_data;
    TreeFactor m_factor;
    VectorXd m_q;
    MatrixXd m_system;
};

/// A⁻¹ is that of a dense solve, its halves make it up, and the first leaves other limbs alone.
void a_tree_is_factored_without_fill()
{
    const Limbs body;
    const Index nv = body.freedoms();
    const MatrixXd b = random_matrix(nv, 4), expected = body.system().llt().solve(b);
    MatrixXd x = b;
    for (Index k = 0; k < 4; ++k) {
        body.factor().solve(x.col(k).data());
    }
    assert((x - expected).norm() < 1e-12 * expected.norm());
    x = b;
    body.half_solve(x);
    const MatrixXd product = x.transpose() * x, energy = b.transpose() * expected;
    assert((product - energy).norm() < 1e-12 * energy.norm());
    for (Index k = 0; k < 4; ++k) {
        body.other_half(x.col(k));
    }
    assert((x - expected).norm() < 1e-12 * expected.norm());

    const int first = body.model().v_offset(4);  // the limb of two hinges
    MatrixXd limb = MatrixXd::Zero(nv, 1);
    limb(first + 1, 0) = 1.0;
    body.half_solve(limb);
    for (int k = 6; k < nv; ++k) {
        assert((limb(k, 0) != 0.0) == (k >= first));
    }
    MatrixXd indefinite = body.system();
    indefinite(first, first) = -1.0;
    TreeFactor refused(body.model());
    assert(!refused.factor(indefinite));
}

/// Blocks on one link, on two of them, and on a coordinate; beside what a block has of E.
void rows_on_links_are_those_of_h()
{
    const Limbs body;
    const Index nv = body.freedoms();
    const double step = 0.01;
    const std::vector<int> sizes{3, 6, 1, 3};
    std::vector<std::pair<int, int>> places;
    std::vector<std::vector<int>> coupled;
    int rows = 0;
    for (std::size_t b = 0; b < sizes.size(); ++b) {
        places.emplace_back(rows, sizes[b]);
        coupled.push_back({static_cast<int>(b)});
        rows += sizes[b];
    }
    MatrixXd H = MatrixXd::Zero(rows, nv);
    LinkRows links;
    const auto entry = [&](int b) {
        LinkRows::Entry open;
        open.block = b;
        open.offset = places[static_cast<std::size_t>(b)].first;
        open.rows = places[static_cast<std::size_t>(b)].second;
        return open;
    };
    const auto press = [&](int b, int link) {
        const LinkRows::Entry open = entry(b);
        const LinkRows::Wrenches wrenches = random_matrix(6, open.rows);
        const Vector3d origin = body.link_pose(link).translation;
        for (int k = 0; k < open.rows; ++k) {
            VectorXd force = VectorXd::Zero(nv);
            body.add_wrench(link, origin, wrenches.col(k).head<3>(), wrenches.col(k).tail<3>(), force);
            H.row(open.offset + k) += force.transpose();
        }
        links.add_wrenches(body, open, link, wrenches);
    };
    press(0, 3);
    press(1, 3);
    press(1, 5);  // the body touches itself
    links.add_coordinate(entry(2), 7, -1.0);
    H(entry(2).offset, 7) = -1.0;
    press(3, 0);
    links.prepare(body, step);

    BlockRows W;
    W.set_pattern(places, coupled);
    const MatrixXd extra = random_matrix(3, 3);
    W.block(3, 3) = extra + extra.transpose();
    links.hand_motions(2, W);  // after two motions of another body
    W.prepare(2 + static_cast<int>(nv));
    W.yield(1, 5, 0.25);
    const MatrixXd inverse = body.system().inverse();
    MatrixXd dense = step * H * inverse * H.transpose();
    dense.bottomRightCorner<3, 3>() += extra + extra.transpose();
    dense(8, 8) += 0.25;
    RowMajorMatrix written;
    W.write(written);
    const double tolerance = 1e-12 * dense.norm();
    assert((written - dense).norm() < tolerance);

    const VectorXd load = random_matrix(rows, 1), change = random_matrix(6, 1);
    std::vector<double> motion;
    W.gather(load.data(), motion);
    W.move(1, change.data(), motion);
    VectorXd changed = load, out(rows);
    changed.segment<6>(3) += change;
    for (int b = 0; b < 4; ++b) {
        const auto [first, size] = places[static_cast<std::size_t>(b)];
        W.multiply(b, changed.data(), motion, out.data() + first);
        assert((W.own(b) - dense.block(first, first, size, size)).norm() < tolerance);
    }
    assert((out - dense * changed).norm() < tolerance);

    const MatrixXd G = links.motions();
    assert((G * G.transpose() - step * H * inverse * H.transpose()).norm() < tolerance);
    VectorXd response(nv);
    links.respond(body, load, response);
    assert((response - inverse * H.transpose() * load).norm() < 1e-12 * response.norm());
    const VectorXd velocity = random_matrix(nv, 1);
    std::vector<double> projected(static_cast<std::size_t>(rows), 1.0);
    links.project(velocity, projected);
    const VectorXd seen = Eigen::Map<const VectorXd>(projected.data(), rows).array() - 1.0;
    assert((seen - H * velocity).norm() < 1e-12 * seen.norm());
    MatrixXd forces = MatrixXd::Zero(nv, rows);
    links.generalized_forces(forces);
    assert((forces - H.transpose()).norm() < 1e-12 * H.norm());
}

}  // namespace

int main()
{
    a_tree_is_factored_without_fill();
    rows_on_links_are_those_of_h();
}

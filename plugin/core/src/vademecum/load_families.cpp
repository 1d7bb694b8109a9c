// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/load_families.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "require.hpp"

namespace softcontact {

namespace {

constexpr double opposite_limit = 1e-9;  // of the sum of two unit vectors

}  // namespace

LoadFamilies::LoadFamilies(const Eigen::Ref<const Points>& nodes, std::vector<Index> loaded,
                           const std::vector<Index>& clamped, const Eigen::Ref<const Points>& directions,
                           double magnitude)
    : m_loaded(std::move(loaded)), m_magnitude(magnitude)
{
    require(std::isfinite(magnitude) && magnitude > 0.0, "magnitude: expected a finite force > 0 [N]");
    require(!m_loaded.empty() && m_loaded.front() >= 0 && m_loaded.back() < nodes.cols() &&
                std::is_sorted(m_loaded.begin(), m_loaded.end()),
            "loaded: expected node numbers, growing");
    for (Index f = 0; f < directions.cols(); ++f) {
        Axis* opposite = nullptr;
        for (Axis& axis : m_axes) {
            if ((directions.col(axis.plus) + directions.col(f)).norm() < opposite_limit) opposite = &axis;
        }
        if (opposite != nullptr) {
            opposite->minus = f;
        } else {
            m_axes.push_back({f, -1});
        }
    }
    require(!m_axes.empty() && m_axes.size() <= 3, "directions: expected one to three axes, and opposites");
    Eigen::Matrix<double, 3, Eigen::Dynamic> axes(3, axis_count());
    for (Index k = 0; k < axis_count(); ++k)
        axes.col(k) = directions.col(m_axes[static_cast<std::size_t>(k)].plus);
    const MatrixXd gram = axes.transpose() * axes;
    const Eigen::FullPivLU<MatrixXd> factor(gram);
    require(gram.allFinite() && factor.rcond() > 1e-6, "directions: expected axes that are independent");
    m_inverse = factor.solve(MatrixXd(axes.transpose())) / magnitude;

    m_position.assign(static_cast<std::size_t>(nodes.cols()), -1);
    std::vector<char> fixed(static_cast<std::size_t>(nodes.cols()), 0);
    for (const Index node : clamped) {
        require(node >= 0 && node < nodes.cols(), "clamped: expected node numbers");
        fixed[static_cast<std::size_t>(node)] = 1;
    }
    for (Index node = 0; node < nodes.cols(); ++node) {
        if (fixed[static_cast<std::size_t>(node)] != 0) continue;
        double least = std::numeric_limits<double>::infinity();
        for (Index p = 0; p < loaded_count(); ++p) {
            const double squared = (nodes.col(this->node(p)) - nodes.col(node)).squaredNorm();
            if (squared < least) {
                least = squared;
                m_position[static_cast<std::size_t>(node)] = p;
            }
        }
    }
}

LoadFamilies::Load LoadFamilies::load(Index position, Index axis, double size) const noexcept
{
    const Axis& pair = m_axes[static_cast<std::size_t>(axis)];
    if (size < 0.0 && pair.minus >= 0) return {pair.minus * loaded_count() + position, -size, -1.0};
    return {pair.plus * loaded_count() + position, size, 1.0};
}

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "softcontact/bodies/corotational.hpp"

namespace softcontact {

namespace {

// Volume over the cube of the longest edge; a regular tetrahedron has 0.118. Below it the gradients have
// lost all their digits.
constexpr double kFlat = 1e-12;

void check_nodes(const Points& nodes)
{
    for (Index k = 0; k < nodes.cols(); ++k) {
        if (!nodes.col(k).allFinite()) {
            std::ostringstream text;
            text << "nodes[" << k << "] = (" << nodes.col(k).transpose() << "): give finite coordinates";
            throw std::invalid_argument(text.str());
        }
    }
}

}  // namespace

CorotationalModel::CorotationalModel(const Points& rest_nodes, const Tetrahedra& tetrahedra,
                                     const std::vector<Material>& materials)
    : m_rest_nodes(rest_nodes), m_mass(VectorXd::Zero(rest_nodes.cols()))
{
    const auto count = static_cast<std::size_t>(tetrahedra.cols());
    if (count == 0) throw std::invalid_argument("tetrahedra is empty: give at least one element");
    if (materials.size() != 1 && materials.size() != count) {
        throw std::invalid_argument("materials has " + std::to_string(materials.size()) + " entries for " +
                                    std::to_string(count) + " tetrahedra: give one, or one an element");
    }
    check_nodes(rest_nodes);
    for (const Material& material : materials) material.validate();
    m_elements.reserve(count);
    for (std::size_t e = 0; e < count; ++e) {
        add_element(static_cast<Index>(e), tetrahedra, materials[materials.size() == 1 ? 0 : e]);
    }
    for (Index k = 0; k < node_count(); ++k) {
        if (!(m_mass[k] > 0.0)) {
            throw std::invalid_argument("node " + std::to_string(k) +
                                        " belongs to no tetrahedron: remove it from nodes");
        }
    }
    const double volume = rest_volume();
    for (const Element& e : m_elements) {
        m_plane_modulus += e.volume / volume * 4.0 * e.mu * (e.lambda + e.mu) / (e.lambda + 2.0 * e.mu);
    }
    m_density = m_mass.sum() / volume;
    m_quaternions.assign(count, Quaterniond::Identity());
    m_rotations.assign(count, Matrix3d::Identity());
    m_assembled = m_quaternions;
    const auto stiffens = [](const Material& material) { return material.stiffening > 0.0; };
    if (std::any_of(materials.begin(), materials.end(), stiffens)) {
        for (std::size_t e = 0; e < count; ++e) {
            m_stiffening.emplace_back(materials[materials.size() == 1 ? 0 : e]);
        }
        m_states.resize(count);
        m_assembled_states = m_states;
    }
    build_pattern();
}

void CorotationalModel::add_element(Index index, const Tetrahedra& tetrahedra, const Material& material)
{
    Element element{};
    const std::string name = "tetrahedra[" + std::to_string(index) + "]";
    for (int k = 0; k < 4; ++k) {
        element.nodes[k] = tetrahedra(k, index);
        if (element.nodes[k] < 0 || element.nodes[k] >= node_count()) {
            throw std::invalid_argument(name + " has node index " + std::to_string(element.nodes[k]) +
                                        ": give indices from 0 to " + std::to_string(node_count() - 1));
        }
    }
    std::sort(element.nodes.begin(), element.nodes.end());
    if (std::adjacent_find(element.nodes.begin(), element.nodes.end()) != element.nodes.end()) {
        throw std::invalid_argument(name + " names a node twice: give four different nodes");
    }

    // F = (edges of x) (edges of X)⁻¹ does not see the orientation, so a left-handed element only needs
    // the sign of its volume dropped.
    Matrix3d edges;
    for (int k = 0; k < 3; ++k) {
        edges.col(k) = m_rest_nodes.col(element.nodes[k + 1]) - m_rest_nodes.col(element.nodes[0]);
    }
    element.volume = std::abs(edges.determinant()) / 6.0;
    double longest = edges.colwise().norm().maxCoeff();
    for (int k = 0; k < 3; ++k) {
        longest = std::max(longest, (edges.col(k) - edges.col((k + 1) % 3)).norm());
    }
    if (!(element.volume > kFlat * longest * longest * longest)) {
        std::ostringstream text;
        text << name << " is flat: volume " << element.volume << " m^3 for a longest edge of " << longest
             << " m; remove or remesh it";
        throw std::invalid_argument(text.str());
    }
    element.lambda = material.lambda();
    element.mu = material.mu();
    element.inverse_rest = edges.inverse();
    for (const int node : element.nodes) m_mass[node] += 0.25 * material.density * element.volume;
    m_elements.push_back(element);
}

void CorotationalModel::scale_stiffness(double factor)
{
    for (Element& element : m_elements) {
        element.lambda *= factor;
        element.mu *= factor;
    }
    for (StiffeningLaw& law : m_stiffening) law.scale(factor);
    for (StiffeningLaw::State& state : m_states) {  // the strains are as they were
        state.stress *= factor;
        state.rank /= factor;
    }
    m_plane_modulus *= factor;
    m_has_assembled = false;
}

void CorotationalModel::build_pattern()
{
    const auto nodes = static_cast<std::size_t>(node_count());
    std::vector<std::vector<int>> below(nodes);  // neighbours with a larger index
    for (const Element& element : m_elements) {
        for (const int j : element.nodes) {
            for (const int i : element.nodes) {
                if (i > j) below[j].push_back(i);
            }
        }
    }
    m_outer.assign(1, 0);
    for (std::size_t j = 0; j < nodes; ++j) {
        std::sort(below[j].begin(), below[j].end());
        below[j].erase(std::unique(below[j].begin(), below[j].end()), below[j].end());
        for (int b = 0; b < 3; ++b) {
            for (int a = b; a < 3; ++a) m_inner.push_back(static_cast<int>(3 * j) + a);
            for (const int i : below[j]) {
                for (int a = 0; a < 3; ++a) m_inner.push_back(3 * i + a);
            }
            m_outer.push_back(static_cast<int>(m_inner.size()));
        }
    }
    // A block's place is where its row 0 would be: (a, b) then lies a entries on, for a >= b in diagonal
    // blocks.
    for (Element& element : m_elements) {
        int pair = 0;
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j <= i; ++j, ++pair) {  // ascending nodes: in the lower triangle
                const int row = element.nodes[i];
                const int column = element.nodes[j];
                const auto& list = below[column];
                const auto rank = std::lower_bound(list.begin(), list.end(), row) - list.begin();
                for (int b = 0; b < 3; ++b) {
                    const int start = m_outer[3 * column + b];
                    element.at[pair][b] =
                        row == column ? start - b : start + 3 - b + 3 * static_cast<int>(rank);
                }
            }
        }
    }
}

CorotationalModel::SparseMatrix CorotationalModel::pattern() const
{
    const Index size = 3 * node_count();
    const std::vector<double> zeros(m_inner.size(), 0.0);
    return Eigen::Map<const SparseMatrix>(size, size, static_cast<Index>(m_inner.size()), m_outer.data(),
                                          m_inner.data(), zeros.data());
}

}  // namespace softcontact

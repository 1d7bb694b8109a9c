// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/bodies/corotational.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "softcontact/bodies/corotational_rotation.hpp"

namespace softcontact {

namespace {

using Gradients = Eigen::Matrix<double, 3, 4>;
using Eigen::Ref;

Gradients gradients_of(const Matrix3d& inverse_rest)
{
    Gradients g;
    g.rightCols<3>() = inverse_rest.transpose();
    g.col(0) = -(g.col(1) + g.col(2) + g.col(3));
    return g;
}

/// σ = λ tr(ε) I + 2 μ ε.
Matrix3d stress_of(const Matrix3d& strain, double lambda, double mu)
{
    Matrix3d stress = 2.0 * mu * strain;
    stress.diagonal().array() += lambda * strain.trace();
    return stress;
}

Matrix3d strain_of(const Matrix3d& rotation, const Matrix3d& f)
{
    const Matrix3d a = rotation.transpose() * f;
    return 0.5 * (a + a.transpose()) - Matrix3d::Identity();
}

/// Adds scale · f fᵀ to the blocks of an element, lower triangle, f the four columns one below the other.
template <typename Element>
void add_rank_one(const Element& element, double scale, const Gradients& f, double* values)
{
    int pair = 0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j <= i; ++j, ++pair) {
            for (int b = 0; b < 3; ++b) {
                double* column = values + element.at[pair][b];
                for (int a = (i == j ? b : 0); a < 3; ++a) column[a] += scale * f(a, i) * f(b, j);
            }
        }
    }
}

}  // namespace

double CorotationalModel::rest_volume() const
{
    double sum = 0.0;
    for (const Element& e : m_elements) sum += e.volume;
    return sum;
}

Matrix3d CorotationalModel::deformation_gradient(const Element& element, const Ref<const Points>& x) const
{
    const Vector3d origin = x.col(element.nodes[0]);
    Matrix3d edges;
    for (int k = 0; k < 3; ++k) edges.col(k) = x.col(element.nodes[k + 1]) - origin;
    return edges * element.inverse_rest;
}

bool CorotationalModel::update(const Ref<const Points>& x)
{
    bool finite = true;
    m_inverted_count = 0;
    for (std::size_t e = 0; e < m_elements.size(); ++e) {
        const Matrix3d f = deformation_gradient(m_elements[e], x);
        if (!(f.determinant() > 0.0)) ++m_inverted_count;
        if (!extract_rotation(f, m_quaternions[e])) {
            finite = false;
            continue;
        }
        m_rotations[e] = m_quaternions[e].toRotationMatrix();
    }
    update_stiffening(x);
    return finite;
}

void CorotationalModel::reset_rotations()
{
    std::fill(m_quaternions.begin(), m_quaternions.end(), Quaterniond::Identity());
    std::fill(m_rotations.begin(), m_rotations.end(), Matrix3d::Identity());
}

bool CorotationalModel::bent(const Points& before, const Points& after, double share) const
{
    return std::any_of(m_elements.begin(), m_elements.end(), [&](const Element& element) {
        const int first = element.nodes[0];
        for (int k = 1; k < 4; ++k) {
            const Vector3d edge = before.col(element.nodes[k]) - before.col(first);
            const Vector3d change = after.col(element.nodes[k]) - after.col(first) - edge;
            if (change.squaredNorm() > share * share * edge.squaredNorm()) return true;
        }
        return false;
    });
}

bool CorotationalModel::check(const Ref<const Points>& x)
{
    m_inverted_count = 0;
    for (const Element& element : m_elements) {
        if (!(deformation_gradient(element, x).determinant() > 0.0)) ++m_inverted_count;
    }
    return x.allFinite();
}

void CorotationalModel::update_stiffening(const Ref<const Points>& x)
{
    for (std::size_t e = 0; e < m_stiffening.size(); ++e) {
        const Element& element = m_elements[e];
        const Matrix3d strain = strain_of(m_rotations[e], deformation_gradient(element, x));
        m_states[e] = m_stiffening[e].state(strain, stress_of(strain, element.lambda, element.mu));
    }
}

Matrix3d CorotationalModel::first_piola(std::size_t e, const Matrix3d& f) const
{
    const Matrix3d strain = strain_of(m_rotations[e], f);
    const Matrix3d stress = stress_of(strain, m_elements[e].lambda, m_elements[e].mu);
    if (m_stiffening.empty()) return m_rotations[e] * stress;
    return m_rotations[e] * (m_stiffening[e].factor(strain, stress) * stress);
}

double CorotationalModel::energy(const Ref<const Points>& x) const
{
    double sum = 0.0;
    for (std::size_t e = 0; e < m_elements.size(); ++e) {
        const Element& element = m_elements[e];
        const Matrix3d strain = strain_of(m_rotations[e], deformation_gradient(element, x));
        if (!m_stiffening.empty()) {
            sum += element.volume *
                   m_stiffening[e].energy(strain, stress_of(strain, element.lambda, element.mu));
            continue;
        }
        const double trace = strain.trace();
        sum += element.volume * (element.mu * strain.squaredNorm() + 0.5 * element.lambda * trace * trace);
    }
    return sum;
}

void CorotationalModel::add_force(const Ref<const Points>& x, Ref<Points> force) const
{
    for (std::size_t e = 0; e < m_elements.size(); ++e) {
        const Element& element = m_elements[e];
        const Matrix3d on_nodes = -element.volume * first_piola(e, deformation_gradient(element, x)) *
                                  element.inverse_rest.transpose();
        for (int k = 0; k < 3; ++k) force.col(element.nodes[k + 1]) += on_nodes.col(k);
        force.col(element.nodes[0]) -= on_nodes.rowwise().sum();
    }
}

void CorotationalModel::multiply(const Ref<const VectorXd>& v, Ref<VectorXd> out) const
{
    const Eigen::Map<const Points> velocity(v.data(), 3, node_count());
    Eigen::Map<Points> result(out.data(), 3, node_count());
    result.setZero();
    for (std::size_t e = 0; e < m_elements.size(); ++e) {
        const Element& element = m_elements[e];
        const Matrix3d a = m_rotations[e].transpose() * deformation_gradient(element, velocity);
        const Matrix3d strain = 0.5 * (a + a.transpose());
        Matrix3d stress = stress_of(strain, element.lambda, element.mu);
        if (!m_stiffening.empty()) {
            const StiffeningLaw::State& s = m_states[e];
            stress = s.factor * stress + s.rank * s.stress.cwiseProduct(strain).sum() * s.stress;
        }
        const Matrix3d on_nodes =
            element.volume * (m_rotations[e] * stress) * element.inverse_rest.transpose();
        for (int k = 0; k < 3; ++k) result.col(element.nodes[k + 1]) += on_nodes.col(k);
        result.col(element.nodes[0]) -= on_nodes.rowwise().sum();
    }
}

Matrix3d CorotationalModel::stress(const Ref<const Points>& x, Index element) const
{
    const auto e = static_cast<std::size_t>(element);
    return first_piola(e, deformation_gradient(m_elements[e], x)) * m_rotations[e].transpose();
}

void CorotationalModel::assemble(SparseMatrix& out, double stiffness_scale,
                                 const Ref<const VectorXd>& diagonal)
{
    assert(out.isCompressed() && out.nonZeros() == static_cast<Index>(m_inner.size()));
    double* values = out.valuePtr();
    std::fill(values, values + m_inner.size(), 0.0);
    for (std::size_t e = 0; e < m_elements.size(); ++e) {
        const Element& element = m_elements[e];
        // An isotropic element is turned by turning its gradients.
        const Gradients g = m_rotations[e] * gradients_of(element.inverse_rest);
        const double factor = m_states.empty() ? 1.0 : m_states[e].factor;
        const double lambda = factor * stiffness_scale * element.volume * element.lambda;
        const double mu = factor * stiffness_scale * element.volume * element.mu;
        int pair = 0;
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j <= i; ++j, ++pair) {
                const double shear = mu * g.col(i).dot(g.col(j));
                for (int b = 0; b < 3; ++b) {
                    double* column = values + element.at[pair][b];
                    for (int a = (i == j ? b : 0); a < 3; ++a) {
                        column[a] +=
                            lambda * g(a, i) * g(b, j) + mu * g(a, j) * g(b, i) + (a == b ? shear : 0.0);
                    }
                }
            }
        }
        if (!m_states.empty() && m_states[e].rank > 0.0) {
            const Gradients f = m_rotations[e] * m_states[e].stress * gradients_of(element.inverse_rest);
            add_rank_one(element, stiffness_scale * element.volume * m_states[e].rank, f, values);
        }
    }
    for (Index k = 0; k < diagonal.size(); ++k) values[m_outer[k]] += diagonal[k];
    m_assembled = m_quaternions;
    m_assembled_states = m_states;
    m_has_assembled = true;
}

void CorotationalModel::assemble_tangent(const Ref<const Points>& x, SparseMatrix& out) const
{
    assert(out.isCompressed() && out.nonZeros() == static_cast<Index>(m_inner.size()));
    double* values = out.valuePtr();
    std::fill(values, values + m_inner.size(), 0.0);
    for (std::size_t e = 0; e < m_elements.size(); ++e) {
        const Element& element = m_elements[e];
        const Matrix3d& r = m_rotations[e];
        const Gradients g = gradients_of(element.inverse_rest);
        const Gradients turned = r * g;
        const Matrix3d stretch = strain_of(r, deformation_gradient(element, x)) + Matrix3d::Identity();
        // P = 2μ(F − R) + λ(tr S − 3) R and dR = R [ω]×, (tr(S) I − S) ω = axial(RᵀdF − dFᵀR).
        const Matrix3d spin = (stretch.trace() * Matrix3d::Identity() - stretch).inverse();
        const double on_spin = element.lambda * (stretch.trace() - 3.0) - 2.0 * element.mu;
        // P = g Pₗ with Pₗ of the linear law, and dg is along Pₗ.
        const double scale = element.volume * (m_states.empty() ? 1.0 : m_states[e].factor);
        int pair = 0;
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j <= i; ++j, ++pair) {
                Matrix3d block = -on_spin * (r * skew(g.col(i)) * spin * skew(g.col(j)) * r.transpose());
                block += element.lambda * turned.col(i) * turned.col(j).transpose();
                block.diagonal().array() += 2.0 * element.mu * g.col(i).dot(g.col(j));
                for (int b = 0; b < 3; ++b) {
                    double* column = values + element.at[pair][b];
                    for (int a = (i == j ? b : 0); a < 3; ++a) column[a] += scale * block(a, b);
                }
            }
        }
        if (!m_states.empty()) {
            add_rank_one(element, element.volume * m_states[e].rank, r * m_states[e].stress * g, values);
        }
    }
}

Quaterniond CorotationalModel::common_turn() const
{
    Quaterniond turn = Quaterniond::Identity();
    if (!m_has_assembled) return turn;
    Matrix3d sum = Matrix3d::Zero();
    for (std::size_t e = 0; e < m_quaternions.size(); ++e) {
        const Quaterniond own = m_quaternions[e] * m_assembled[e].conjugate();
        sum += m_elements[e].volume * own.toRotationMatrix();
    }
    extract_rotation(sum, turn);
    return turn;
}

double CorotationalModel::rotation_drift(const Quaterniond& turn) const
{
    if (!m_has_assembled) return std::numeric_limits<double>::infinity();
    const Quaterniond back = turn.conjugate();
    double largest = 0.0;  // squared sine of half the angle
    for (std::size_t e = 0; e < m_quaternions.size(); ++e) {
        const Quaterniond own = m_quaternions[e] * m_assembled[e].conjugate();
        largest = std::max(largest, (back * own).vec().squaredNorm());
    }
    return std::max(2.0 * std::asin(std::min(1.0, std::sqrt(largest))), stiffening_drift());
}

double CorotationalModel::stiffening_drift() const
{
    double largest = 0.0;
    for (std::size_t e = 0; e < m_stiffening.size(); ++e) {
        largest = std::max(largest, m_stiffening[e].change(m_assembled_states[e], m_states[e]));
    }
    return largest;
}

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <Eigen/SparseCore>
#include <array>
#include <cmath>
#include <vector>

#include "softcontact/bodies/material.hpp"
#include "softcontact/bodies/stiffening.hpp"
#include "softcontact/types.hpp"

namespace softcontact {

/// Corotational linear tetrahedra.
///
/// With F = ∂x/∂X, R its rotation and ε = sym(RᵀF) − I, an element of rest volume V stores
/// E = V (μ ε:ε + ½ λ (tr ε)²); with the polar rotation −∂E/∂x is exactly the force returned, since
/// the polar rotation is a stationary point of RᵀF. A material that stiffens has the energy of StiffeningLaw
/// instead, to which the same applies. update() sets the rotations, and the strains that a stiffening tangent
/// is taken at; the other methods use those of the last update() whatever the positions they are given,
/// except where said.
/// Nothing but the constructor and pattern() allocates. Not thread safe for writing methods.
///
/// Source: Müller & Gross, "Interactive virtual materials", GI 2004, Sec. 3 (element, warping);
/// exact tangent: Chao, Pinkall, Sanan, Schröder, "A simple geometric model for elastic deformations",
/// SIGGRAPH 2010, Sec. 3 (derivative of the polar rotation).
class CorotationalModel {
public:
    using SparseMatrix = Eigen::SparseMatrix<double>;

    CorotationalModel() = default;

    /// @param rest_nodes (3, n) [m]
    /// @param tetrahedra (4, m) node indices in any order: elements are sorted and their orientation does
    ///   not matter, so all 24 orders of the nodes of an element give the same bits
    /// @param materials one for all, or one an element
    /// Throws std::invalid_argument: non-finite node, index out of range or repeated, flat element, node
    /// of no element, wrong number of materials or bad material.
    CorotationalModel(const Points& rest_nodes, const Tetrahedra& tetrahedra,
                      const std::vector<Material>& materials);

    [[nodiscard]] Index node_count() const { return m_rest_nodes.cols(); }
    [[nodiscard]] Index element_count() const { return static_cast<Index>(m_elements.size()); }
    [[nodiscard]] const Points& rest_nodes() const { return m_rest_nodes; }
    [[nodiscard]] double rest_volume() const;  ///< [m^3]
    /// Plane-strain modulus E/(1 − ν²) of small strains, mean over the volume [Pa].
    [[nodiscard]] double plane_modulus() const { return m_plane_modulus; }
    /// Speed of a wave of that modulus and the mean density [m/s].
    [[nodiscard]] double wave_speed() const { return std::sqrt(m_plane_modulus / m_density); }
    [[nodiscard]] const VectorXd& lumped_mass() const { return m_mass; }  ///< (n,) [kg]

    /// Rotations for positions x (3, n) [m]. False if some position is not finite or absurdly large; its
    /// element then keeps its rotation.
    bool update(const Eigen::Ref<const Points>& x);
    /// Multiplies every element's Young's modulus by a factor > 0; the next assemble() starts anew.
    void scale_stiffness(double factor);
    /// Sets all rotations to the identity.
    void reset_rotations();
    /// Whether an edge of an element has turned or stretched by more than a share of its length between two
    /// placements (3, n) [m].
    [[nodiscard]] bool bent(const Points& before, const Points& after, double share) const;
    /// Counts inverted elements as update() does, and leaves the rotations. False if some position is not
    /// finite.
    bool check(const Eigen::Ref<const Points>& x);
    /// Whether some material stiffens with strain.
    [[nodiscard]] bool stiffens() const { return !m_stiffening.empty(); }
    /// Elements with det F <= 0 at the last update() or check().
    [[nodiscard]] int inverted_count() const { return m_inverted_count; }
    [[nodiscard]] const Matrix3d& rotation(Index element) const { return m_rotations[element]; }

    /// Elastic energy [J].
    [[nodiscard]] double energy(const Eigen::Ref<const Points>& x) const;
    /// Adds −∂E/∂x [N] to force (3, n).
    void add_force(const Eigen::Ref<const Points>& x, Eigen::Ref<Points> force) const;
    /// out = K v, K = Σ R Kₑ Rᵀ with the current rotations (and the tangent at the current strains, for a
    /// material that stiffens); v, out (3n,).
    void multiply(const Eigen::Ref<const VectorXd>& v, Eigen::Ref<VectorXd> out) const;
    /// Corotated stress R σ(ε) Rᵀ of an element [Pa].
    [[nodiscard]] Matrix3d stress(const Eigen::Ref<const Points>& x, Index element) const;

    /// Lower triangle (3n, 3n) with all the entries that assemble() writes, values zero. The first entry
    /// of each column is its diagonal.
    [[nodiscard]] SparseMatrix pattern() const;
    /// out = diag(diagonal) + stiffness_scale · Σ R Kₑ Rᵀ (lower triangle), positive semi-definite for
    /// diagonal >= 0. out must have pattern()'s structure. Marks the rotations as used (rotation_drift).
    void assemble(SparseMatrix& out, double stiffness_scale, const Eigen::Ref<const VectorXd>& diagonal);
    /// out = −∂f/∂x exactly at x, that is with the turning of the elements; x must be the positions of the
    /// last update(). Symmetric, may be indefinite. Does not mark the rotations as used.
    void assemble_tangent(const Eigen::Ref<const Points>& x, SparseMatrix& out) const;

    /// Rotation that the elements share since the last assemble() (volume-weighted mean); identity before it.
    [[nodiscard]] Quaterniond common_turn() const;
    /// Largest angle [rad] between an element's rotation and turn ∘ its rotation at the last assemble();
    /// infinite before it. assemble() after a turn Q shared by all is Q · (matrix before) · Qᵀ in blocks,
    /// so with common_turn() this tells how stale a factorisation is. A change of an element's stiffness
    /// since then counts as much as an equal angle.
    [[nodiscard]] double rotation_drift(const Quaterniond& turn = Quaterniond::Identity()) const;

private:
    struct Element {
        std::array<int, 4> nodes;  // ascending
        double volume;
        double lambda;
        double mu;
        Matrix3d inverse_rest;                  // rows: gradients of shape functions 1 to 3
        std::array<std::array<int, 3>, 10> at;  // value index of column b of block (i >= j) in pattern()
    };

    void add_element(Index index, const Tetrahedra& tetrahedra, const Material& material);
    void build_pattern();
    void update_stiffening(const Eigen::Ref<const Points>& x);
    [[nodiscard]] double stiffening_drift() const;
    [[nodiscard]] Matrix3d first_piola(std::size_t element, const Matrix3d& f) const;
    [[nodiscard]] Matrix3d deformation_gradient(const Element& element,
                                                const Eigen::Ref<const Points>& x) const;

    Points m_rest_nodes;
    VectorXd m_mass;
    double m_plane_modulus = 0.0, m_density = 1.0;  ///< means over the volume
    std::vector<Element> m_elements;
    std::vector<Quaterniond> m_quaternions;
    std::vector<Matrix3d> m_rotations;
    std::vector<Quaterniond> m_assembled;  // rotations of the last assemble()
    bool m_has_assembled = false;
    // One an element, or none where the whole body is linear.
    std::vector<StiffeningLaw> m_stiffening;
    std::vector<StiffeningLaw::State> m_states;            // at the last update()
    std::vector<StiffeningLaw::State> m_assembled_states;  // at the last assemble()
    int m_inverted_count = 0;
    std::vector<int> m_outer;  // pattern(), compressed columns
    std::vector<int> m_inner;
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/types.hpp>
#include <span>
#include <vector>

namespace softcontact {

/// Arrays of a displacement field separated in place x, load case s and size t of the load:
///     u(x, s, t) = Σ_k X_k(x) Y_k(s, t) + dent_s(x, t),
/// where every function of t is t Σ_j c_j T_j(2 t − 1). A dent moves the few nodes around the loaded one.
/// Source: González et al. 2015, Eq. 2; size and dents beyond it.
struct SeparatedSolution {
    Index terms = 0;      ///< terms j of the series in t
    MatrixXd modes;       ///< (m, 3 n) [-]: X_k at component c of node i in column 3 i + c
    MatrixXd amplitudes;  ///< (m, terms × cases) [m]: c_j of Y_k for case s in column terms s + j
    std::vector<Index>
        dent_starts;                ///< (cases + 1): case s has the entries dent_starts[s] … dent_starts[s+1]
    std::vector<Index> dent_nodes;  ///< node of each entry, growing within a case
    MatrixXd dents;                 ///< (3, terms × entries) [m]: c_j of entry d in column terms d + j
    std::vector<Index> opposites;   ///< of each case the one that loads the other way, -1: none; or empty
};

/// How several loads answer together.
enum class Predictor {
    superposition,  ///< each as if it was alone, as in the paper
    deflection      ///< each as a part of what alone would deflect the solid as all do
};

/// A separated displacement field, ready to be asked.
class SeparatedField {
public:
    /// @throws std::invalid_argument arrays that do not fit together, or values that are not finite.
    explicit SeparatedField(SeparatedSolution solution);

    [[nodiscard]] Index node_count() const { return m_solution.modes.cols() / 3; }
    [[nodiscard]] Index mode_count() const { return m_solution.modes.rows(); }
    [[nodiscard]] Index case_count() const { return static_cast<Index>(m_solution.dent_starts.size()) - 1; }
    [[nodiscard]] const SeparatedSolution& solution() const { return m_solution; }

    /// The basis t T_j(2 t − 1) at a size; outside [0, 1] continued along its tangents there.
    void basis(double size, Eigen::Ref<VectorXd> out) const noexcept;
    /// Its derivative by the size, constant outside [0, 1].
    void basis_slope(double size, Eigen::Ref<VectorXd> out) const noexcept;
    /// The basis divided by the size, of size 0 too, and the derivative of that by the size.
    void secant(double size, Eigen::Ref<VectorXd> out) const noexcept;
    void secant_slope(double size, Eigen::Ref<VectorXd> out) const noexcept;

    /// What the modes do under a small load of each case, for a size of 1 (m, cases) [m].
    [[nodiscard]] const MatrixXd& first_amplitudes() const { return m_first; }
    /// How far a case i deflects the solid as a load of case j does: g_i · g_j / g_j · g_j, g first
    /// amplitudes.
    [[nodiscard]] double likeness(Index i, Index j) const noexcept;
    /// The case that loads the other way, -1: none.
    [[nodiscard]] Index opposite(Index load_case) const noexcept
    {
        return m_solution.opposites.empty() ? -1 : m_solution.opposites[static_cast<std::size_t>(load_case)];
    }
    /// Displacement [m] that the dent of a case has at a node for a series in its size; zero elsewhere.
    [[nodiscard]] Vector3d dent(Index load_case, Index node,
                                const Eigen::Ref<const VectorXd>& series) const noexcept;

    /// Bound of how far one unit of each mode moves any node (m) [-].
    [[nodiscard]] const VectorXd& peaks() const { return m_peaks; }

private:
    SeparatedSolution m_solution;
    VectorXd m_peaks;
    MatrixXd m_first;
};

/// Some loads on a separated field, and the displacements under them: exact for one load, predicted for more.
/// Nothing allocates after the construction.
class LoadedField {
public:
    /// Room for `capacity` (>= 1) loads on `field`, which has to live on.
    /// @throws std::invalid_argument no room.
    LoadedField(const SeparatedField& field, Index capacity);

    /// No load.
    void clear() noexcept;

    /// Add a load of a case: `size` is its share of the largest force. Of its answer a `share` counts, where
    /// several answers are averaged. False, and nothing added, where there is no such case, size or share are
    /// not finite, or there is no room.
    bool add(Index load_case, double size, double share = 1.0) noexcept;

    /// Loads of these cases and sizes instead of those before, as long as there is room and both are loads:
    ///
    ///     u = Σ_j t_j/τ_j u_j(τ_j),    τ_j = Σ_i t_i likeness(i, j)
    ///
    /// Each case is answered for the size τ_j at which it alone would deflect the solid as all loads together
    /// do, and counts by the share of it that is there: exact for one load, for several at one place, and for
    /// small ones. Where τ_j < 0 the case of the opposite direction answers, if there is one. Superposition
    /// has τ_j = t_j, and forgets how far the others have bent the solid.
    void predict(std::span<const Index> cases, std::span<const double> sizes,
                 Predictor predictor = Predictor::deflection) noexcept;

    /// Move the solid by some more of each mode (m) [m]; clear() forgets it.
    void correct(const Eigen::Ref<const VectorXd>& amplitudes) noexcept { m_amplitudes += amplitudes; }

    [[nodiscard]] const SeparatedField& field() const { return m_field; }
    [[nodiscard]] Index load_count() const { return m_count; }
    /// A load as it answers.
    struct Answer {
        Index asked = -1;      ///< case as it was given
        Index load_case = -1;  ///< case that answers: that one, or its opposite
        double sign = 1.0;     ///< −1 where the opposite answers
        double size = 0.0;     ///< t as it was given
        double felt = 0.0;     ///< τ
    };
    [[nodiscard]] const Answer& answer(Index load) const { return m_answers[static_cast<std::size_t>(load)]; }
    [[nodiscard]] Index load_case(Index load) const { return answer(load).load_case; }
    [[nodiscard]] Predictor predictor() const { return m_predictor; }
    /// The series in its size that stands for a load.
    [[nodiscard]] auto series(Index load) const { return m_series.col(load); }
    /// Y_k summed over the loads, and what corrects them (m) [m].
    [[nodiscard]] const VectorXd& amplitudes() const { return m_amplitudes; }
    /// Bound of how far the dents move any node [m].
    [[nodiscard]] double dent_bound() const noexcept;

    /// Displacement of a node [m]; NaN where there is no such node.
    [[nodiscard]] Vector3d displacement(Index node) const noexcept;

    /// Displacements [m] of some nodes, one a column; columns beyond those of `nodes` stay.
    void displacements(std::span<const Index> nodes, Eigen::Ref<Points> out) const noexcept;

    /// Displacements (3, n) [m] of all nodes.
    void displacements(Eigen::Ref<Points> out) const noexcept;

private:
    void take(const Answer& answer) noexcept;
    [[nodiscard]] Vector3d dent(Index entry, Index load) const noexcept;

    const SeparatedField& m_field;
    Index m_count = 0;
    Predictor m_predictor = Predictor::superposition;
    std::vector<Answer> m_answers;
    MatrixXd m_series;      ///< (terms, capacity): the basis at each load's size
    VectorXd m_amplitudes;  ///< Y_k summed over the loads (m)
    VectorXd m_together;    ///< first amplitudes of all predicted loads
};

}  // namespace softcontact

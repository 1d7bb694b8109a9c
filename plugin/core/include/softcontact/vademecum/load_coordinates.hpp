// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/vademecum/separated_field.hpp>
#include <vector>

namespace softcontact {

/// The sizes q of some loads as coordinates of a solid: its displacements u(q) from a separated field, and
/// their tangent ∂u/∂q. Nothing allocates after the construction.
///
/// Superposed, u = Σ u_i(q_i): each load finds the solid as if it was alone. Together, u = Σ q_i/t_i
/// u_i(t_i): each answers as a part of that load of its own which alone would move its node as far along it
/// as all do,
///
///     t_i = Σ_j C_ij/C_ii q_j,    C_ij = d_i · ∂u_j(x_i)/∂q_j at rest,
///
/// so that loads beside each other stiffen the solid as one of their sum, and what one adds another can take
/// away. Both are exact for one load.
class LoadCoordinates {
public:
    /// A load: its case, its node and its direction.
    struct Load {
        Index load_case = 0;
        Index node = 0;
        Vector3d direction = Vector3d::Zero();
    };

    /// One coordinate for each of `loads`, whose cases differ; `field` has to live on.
    /// @throws std::invalid_argument no load, one of a case or node that there is not, or one case twice.
    LoadCoordinates(const SeparatedField& field, std::vector<Load> loads, bool together);
    LoadCoordinates(const LoadCoordinates&) = delete;
    LoadCoordinates& operator=(const LoadCoordinates&) = delete;

    [[nodiscard]] Index count() const { return m_sizes.size(); }
    [[nodiscard]] const std::vector<Load>& loads() const { return m_loads; }
    [[nodiscard]] bool together() const { return m_together; }
    [[nodiscard]] const VectorXd& sizes() const { return m_sizes; }  ///< [-] shares of the largest force
    /// The sizes at which they answer: t, or q where superposed.
    [[nodiscard]] const VectorXd& felt() const { return m_felt; }

    /// Take these sizes (count). False, and those before stay, where one is not finite.
    bool set(const Eigen::Ref<const VectorXd>& sizes) noexcept;

    /// The solid under these loads.
    [[nodiscard]] const LoadedField& loaded() const { return m_loaded; }
    /// ∂u/∂q (3 n, count) [m]: component c of node i in row 3 i + c.
    [[nodiscard]] const MatrixXd& tangent() const { return m_tangent; }

private:
    void superpose() noexcept;
    void combine() noexcept;
    void differentiate() noexcept;
    [[nodiscard]] Index load_case(Index load) const
    {
        return m_loads[static_cast<std::size_t>(load)].load_case;
    }
    /// C_ij/C_ii, from the tangent at rest.
    void read_shares();

    const SeparatedField& m_field;
    std::vector<Load> m_loads;
    bool m_together;
    VectorXd m_sizes;
    LoadedField m_loaded;
    MatrixXd m_shares;      ///< C_ij/C_ii; none where superposed
    VectorXd m_felt;        ///< as `felt`
    MatrixXd m_series;      ///< (terms, count): what a load's amplitudes have for a change of its q
    MatrixXd m_bends;       ///< (terms, count): and for a change of its t
    MatrixXd m_amplitudes;  ///< (m, count), with a change of each q
    MatrixXd m_bent;        ///< (m, count), with a change of each t
    MatrixXd m_tangent;
};

}  // namespace softcontact

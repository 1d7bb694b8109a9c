// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <Eigen/LU>
#include <softcontact/vademecum/reduced_solid.hpp>
#include <softcontact/vademecum/separated_field.hpp>
#include <span>
#include <vector>

namespace softcontact {

/// Cells of the solid's mesh as their quadrature sees them.
struct SolidCells {
    Index corners = 8;              ///< of a cell
    Index points = 8;               ///< of its quadrature
    std::vector<Index> nodes;       ///< of each cell (cells × corners)
    std::vector<double> gradients;  ///< ∂N/∂X (cells, points, corners, 3) [1/m]
    std::vector<double> weights;    ///< (cells, points) [m³]
    StVenantKirchhoff law;

    [[nodiscard]] Index count() const { return static_cast<Index>(nodes.size()) / corners; }
};

struct CorrectionSettings {
    int max_iterations = 12;
    double tolerance = 1e-4;  ///< of the energy norm of a step against that of the displacement

    /// Throws std::invalid_argument.
    void validate() const;
};

struct CorrectionStatus {
    bool converged = false;
    int iterations = 0;     ///< Newton steps
    int tangents = 0;       ///< of them with a new tangent
    double residual = 0.0;  ///< energy norm of the last step against that of the displacement
};

/// The corrected step: what several loads predict, X a₀ + d, is brought into equilibrium on the modes,
///
///     X^T [f(X a₀ + d) − Σ_j t_j F_j] + f_c(a) − f_c(a₀) = 0,
///
/// d the dents as predicted. The prediction's residual is that of the whole mesh, once; only its change is
/// integrated at the few points c of a ReducedSolid, so that what they miss is a share of a small change.
/// Tangents are kept, also from one question to the next, while steps with them shrink. Where no equilibrium
/// is found the prediction stays. Nothing allocates after the construction.
/// Source: González et al. 2015, Remark 1 (hyper-reduction); dents and exact first residual beyond it.
class CorrectedField {
public:
    /// @param field to correct, has to live on. @param points of the cells' quadrature, all numbered one
    /// after the other, at which `solid` integrates. @param forces of each case (3, cases) [N], for a size
    /// of 1.
    /// @param nodes of each case.
    /// @throws std::invalid_argument arguments that do not fit together.
    CorrectedField(LoadedField& field, ReducedSolid solid, std::vector<Index> points, SolidCells cells,
                   Points forces, std::vector<Index> nodes, const CorrectionSettings& settings);

    /// Predicts the displacements under these loads (see LoadedField::predict) and corrects them.
    CorrectionStatus load(std::span<const Index> cases, std::span<const double> sizes) noexcept;

private:
    [[nodiscard]] Matrix3d gradient(const Points& field, Index point) const noexcept;
    void start(std::span<const Index> cases, std::span<const double> sizes) noexcept;
    CorrectionStatus iterate(double scale) noexcept;

    LoadedField& m_field;
    ReducedSolid m_solid;
    std::vector<Index> m_points;
    SolidCells m_cells;
    Points m_forces;
    std::vector<Index> m_load_nodes;
    CorrectionSettings m_settings;
    Points m_moved, m_dents, m_nodal;  ///< X a₀ + d, d, f − F
    VectorXd m_amplitudes, m_goal, m_residual, m_step, m_load;
    MatrixXd m_tangent;
    Eigen::PartialPivLU<MatrixXd> m_factor;  ///< a prediction's tangent may be indefinite
    bool m_has_factor = false;
};

}  // namespace softcontact

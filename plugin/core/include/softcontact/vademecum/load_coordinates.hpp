// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/vademecum/prediction_tangent.hpp>
#include <vector>

namespace softcontact {

/// The sizes q of some loads as coordinates of a solid: its displacements u(q) as LoadedField predicts them,
/// and their tangent ∂u/∂q. Together, loads beside each other stiffen the solid as one of their sum, and what
/// one adds another can take away; superposed, each finds the solid as if it was alone. Nothing allocates
/// after the construction.
class LoadCoordinates {
public:
    /// One coordinate for each of `cases`, which differ; `field` has to live on.
    /// @throws std::invalid_argument no case, one that there is not, or one twice.
    LoadCoordinates(const SeparatedField& field, std::vector<Index> cases, bool together);
    LoadCoordinates(const LoadCoordinates&) = delete;
    LoadCoordinates& operator=(const LoadCoordinates&) = delete;

    [[nodiscard]] Index count() const { return m_sizes.size(); }
    [[nodiscard]] const std::vector<Index>& cases() const { return m_cases; }
    [[nodiscard]] bool together() const { return m_predictor == Predictor::deflection; }
    [[nodiscard]] const VectorXd& sizes() const { return m_sizes; }  ///< [-] shares of the largest force
    /// How a load is answered, and at which size.
    [[nodiscard]] const LoadedField::Answer& answer(Index load) const { return m_loaded.answer(load); }

    /// Take these sizes (count). False, and those before stay, where one is not finite.
    bool set(const Eigen::Ref<const VectorXd>& sizes) noexcept;

    /// The solid under these loads.
    [[nodiscard]] const LoadedField& loaded() const { return m_loaded; }
    /// ∂u/∂q (3 n, count) [m]: component c of node i in row 3 i + c.
    [[nodiscard]] const MatrixXd& tangent() const { return m_tangent; }

private:
    std::vector<Index> m_cases;
    Predictor m_predictor;
    VectorXd m_sizes;
    LoadedField m_loaded;
    PredictionTangent m_slopes;
    MatrixXd m_tangent;
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/types.hpp>
#include <vector>

namespace softcontact {

/// Keyframed pose of a kinematic body: positions linear, orientations by spherical interpolation.
class PoseMotion {
public:
    PoseMotion() = default;
    /// times [s] strictly increasing; one position [m] and one unit quaternion a time.
    PoseMotion(std::vector<double> times, std::vector<Vector3d> positions,
               std::vector<Quaterniond> orientations);

    /// Pose at `time` [s]; the first and last keyframes are held outside their range.
    [[nodiscard]] Pose pose(double time) const;
    [[nodiscard]] bool empty() const { return m_times.empty(); }

private:
    std::vector<double> m_times;
    std::vector<Vector3d> m_positions;
    std::vector<Quaterniond> m_orientations;
};

/// Keyframed samples of a vector, linear in between, held outside their range.
class VectorMotion {
public:
    VectorMotion() = default;
    /// times [s] strictly increasing (k), values (k rows).
    VectorMotion(std::vector<double> times, MatrixXd values);

    /// Bracketing keyframes and the weight of the later one; no allocation.
    struct Bracket {
        Index before = 0;
        Index after = 0;
        double weight = 0.0;
    };
    [[nodiscard]] Bracket bracket(double time) const;
    [[nodiscard]] const MatrixXd& values() const { return m_values; }
    [[nodiscard]] bool empty() const { return m_times.empty(); }

private:
    std::vector<double> m_times;
    MatrixXd m_values;
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <softcontact/world/motion.hpp>
#include <stdexcept>
#include <string>

namespace softcontact {

namespace {

void check_times(const std::vector<double>& times, std::size_t count)
{
    if (times.empty() || times.size() != count) {
        throw std::invalid_argument("times: " + std::to_string(times.size()) + " keyframe times for " +
                                    std::to_string(count) + " keyframes; give one time a keyframe");
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (!std::isfinite(times[i]) || (i > 0 && !(times[i] > times[i - 1]))) {
            throw std::invalid_argument("times[" + std::to_string(i) + "] = " + std::to_string(times[i]) +
                                        ": keyframe times must be finite and increase");
        }
    }
}

VectorMotion::Bracket find_bracket(const std::vector<double>& times, double time)
{
    const auto last = static_cast<Index>(times.size()) - 1;
    if (time <= times.front()) {
        return {0, 0, 0.0};
    }
    if (time >= times.back()) {
        return {last, last, 0.0};
    }
    const auto after = static_cast<Index>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
    const double start = times[static_cast<std::size_t>(after - 1)];
    const double end = times[static_cast<std::size_t>(after)];
    return {after - 1, after, (time - start) / (end - start)};
}

}  // namespace

PoseMotion::PoseMotion(std::vector<double> times, std::vector<Vector3d> positions,
                       std::vector<Quaterniond> orientations)
    : m_times(std::move(times)), m_positions(std::move(positions)), m_orientations(std::move(orientations))
{
    check_times(m_times, m_positions.size());
    check_times(m_times, m_orientations.size());
    for (std::size_t i = 0; i < m_positions.size(); ++i) {
        if (!m_positions[i].allFinite()) {
            throw std::invalid_argument("positions[" + std::to_string(i) + "]: give finite coordinates");
        }
    }
    for (auto& orientation : m_orientations) {
        if (!(std::abs(orientation.norm() - 1.0) < 1e-6)) {
            throw std::invalid_argument("orientations: a quaternion (x, y, z, w) has norm " +
                                        std::to_string(orientation.norm()) + "; normalise it");
        }
        orientation.normalize();
    }
}

Pose PoseMotion::pose(double time) const
{
    const auto [before, after, weight] = find_bracket(m_times, time);
    const auto i = static_cast<std::size_t>(before);
    const auto j = static_cast<std::size_t>(after);
    return {m_orientations[i].slerp(weight, m_orientations[j]).toRotationMatrix(),
            (1.0 - weight) * m_positions[i] + weight * m_positions[j]};
}

VectorMotion::VectorMotion(std::vector<double> times, MatrixXd values)
    : m_times(std::move(times)), m_values(std::move(values))
{
    check_times(m_times, static_cast<std::size_t>(m_values.rows()));
    if (!m_values.allFinite()) {
        throw std::invalid_argument("values: keyframes must be finite");
    }
}

VectorMotion::Bracket VectorMotion::bracket(double time) const
{
    return find_bracket(m_times, time);
}

}  // namespace softcontact

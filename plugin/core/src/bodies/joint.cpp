// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/bodies/joint.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace softcontact {
namespace {

struct JointTraits {
    std::string_view name;
    int nq;
    int nv;
};

constexpr std::array<JointTraits, 6> joint_traits{{{"fixed", 0, 0},
                                                   {"revolute", 1, 1},
                                                   {"prismatic", 1, 1},
                                                   {"universal", 2, 2},
                                                   {"spherical", 4, 3},
                                                   {"free", 7, 6}}};

// Below these, the first omitted term of the series is under round-off.
constexpr double sine_series_limit = 1e-4;
constexpr double translation_series_limit = 0.1;

const JointTraits& traits(JointType type)
{
    return joint_traits[static_cast<std::size_t>(type)];
}

Quaterniond read_quaternion(const double* q)
{
    return Quaterniond(q[3], q[0], q[1], q[2]).normalized();
}

void write_quaternion(const Quaterniond& quaternion, double* out)
{
    const Quaterniond unit = quaternion.normalized();
    Eigen::Map<Eigen::Vector4d>(out, 4) = unit.coeffs();
}

/// V(rotation) linear: the translation of the SE(3) exponential.
Vector3d exponential_translation(const Vector3d& rotation, const Vector3d& linear)
{
    const double angle = rotation.norm();
    const double half_sinc =
        angle < sine_series_limit ? 1.0 - angle * angle / 24.0 : std::sin(0.5 * angle) / (0.5 * angle);
    const double first = 0.5 * half_sinc * half_sinc;  // (1 - cos) / angle²
    const double a2 = angle * angle;
    const double second = angle < translation_series_limit
                              ? 1.0 / 6.0 - a2 * (1.0 / 120.0 - a2 * (1.0 / 5040.0 - a2 / 362880.0))
                              : (angle - std::sin(angle)) / (a2 * angle);
    const Vector3d turned = rotation.cross(linear);
    return linear + first * turned + second * rotation.cross(turned);
}

/// V(rotation)⁻¹ translation.
Vector3d logarithm_translation(const Vector3d& rotation, const Vector3d& translation)
{
    const double angle = rotation.norm();
    const double a2 = angle * angle;
    const double half = 0.5 * angle;
    const double second = angle < translation_series_limit
                              ? 1.0 / 12.0 + a2 * (1.0 / 720.0 + a2 * (1.0 / 30240.0 + a2 / 1209600.0))
                              : (1.0 - half * std::cos(half) / std::sin(half)) / a2;
    const Vector3d turned = rotation.cross(translation);
    return translation - 0.5 * turned + second * rotation.cross(turned);
}

}  // namespace

int configuration_size(JointType type)
{
    return traits(type).nq;
}

int velocity_size(JointType type)
{
    return traits(type).nv;
}

JointType joint_type(std::string_view name)
{
    for (std::size_t i = 0; i < joint_traits.size(); ++i)
        if (joint_traits[i].name == name) return static_cast<JointType>(i);
    throw std::invalid_argument("joint '" + std::string(name) +
                                "' is unknown; use fixed, revolute, prismatic, universal, spherical or free");
}

std::string_view joint_name(JointType type)
{
    return traits(type).name;
}

Quaterniond exponential(const Vector3d& rotation)
{
    const double angle = rotation.norm();
    const double scale =
        angle < sine_series_limit ? 0.5 - angle * angle / 48.0 : std::sin(0.5 * angle) / angle;
    Quaterniond quaternion;
    quaternion.w() = std::cos(0.5 * angle);
    quaternion.vec() = scale * rotation;
    return quaternion;
}

Vector3d logarithm(const Quaterniond& quaternion)
{
    const double sign = quaternion.w() < 0.0 ? -1.0 : 1.0;
    const double sine = quaternion.vec().norm();
    const double scale = sine < sine_series_limit ? 2.0 + sine * sine / 3.0
                                                  : 2.0 * std::atan2(sine, sign * quaternion.w()) / sine;
    return sign * scale * quaternion.vec();
}

Pose joint_pose(JointType type, const Vector3d& axis, const Vector3d& axis2, const double* q)
{
    Pose pose;
    switch (type) {
        case JointType::fixed:
            break;
        case JointType::revolute:
            pose.rotation = Eigen::AngleAxisd(q[0], axis).toRotationMatrix();
            break;
        case JointType::prismatic:
            pose.translation = q[0] * axis;
            break;
        case JointType::universal:
            pose.rotation = Eigen::AngleAxisd(q[0], axis).toRotationMatrix() *
                            Eigen::AngleAxisd(q[1], axis2).toRotationMatrix();
            break;
        case JointType::spherical:
            pose.rotation = read_quaternion(q).toRotationMatrix();
            break;
        case JointType::free:
            pose.translation = Vector3d(q[0], q[1], q[2]);
            pose.rotation = read_quaternion(q + 3).toRotationMatrix();
            break;
    }
    return pose;
}

void joint_integrate(JointType type, const double* q, const double* dv, double* out)
{
    switch (type) {
        case JointType::fixed:
            break;
        case JointType::universal:
            out[1] = q[1] + dv[1];
            [[fallthrough]];
        case JointType::revolute:
        case JointType::prismatic:
            out[0] = q[0] + dv[0];
            break;
        case JointType::spherical:
            write_quaternion(read_quaternion(q) * exponential(Vector3d(dv[0], dv[1], dv[2])), out);
            break;
        case JointType::free: {
            const Quaterniond start = read_quaternion(q + 3);
            const Vector3d linear(dv[0], dv[1], dv[2]);
            const Vector3d angular(dv[3], dv[4], dv[5]);
            const Vector3d position =
                Vector3d(q[0], q[1], q[2]) + start * exponential_translation(angular, linear);
            Eigen::Map<Vector3d>(out, 3) = position;
            write_quaternion(start * exponential(angular), out + 3);
            break;
        }
    }
}

void joint_difference(JointType type, const double* q0, const double* q1, double* dv)
{
    switch (type) {
        case JointType::fixed:
            break;
        case JointType::universal:
            dv[1] = q1[1] - q0[1];
            [[fallthrough]];
        case JointType::revolute:
        case JointType::prismatic:
            dv[0] = q1[0] - q0[0];
            break;
        case JointType::spherical:
            Eigen::Map<Vector3d>(dv, 3) = logarithm(read_quaternion(q0).conjugate() * read_quaternion(q1));
            break;
        case JointType::free: {
            const Quaterniond start = read_quaternion(q0 + 3);
            const Vector3d angular = logarithm(start.conjugate() * read_quaternion(q1 + 3));
            const Vector3d travel(q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]);
            Eigen::Map<Vector3d>(dv, 3) = logarithm_translation(angular, start.conjugate() * travel);
            Eigen::Map<Vector3d>(dv + 3, 3) = angular;
            break;
        }
    }
}

}  // namespace softcontact

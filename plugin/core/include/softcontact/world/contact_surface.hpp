// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <softcontact/contact/contact_point.hpp>
#include <softcontact/geometry/convex_shape.hpp>
#include <softcontact/geometry/surface.hpp>
#include <softcontact/types.hpp>
#include <softcontact/world/motion.hpp>
#include <string>

namespace softcontact {

class LinkCarrier;
class TetrahedralSystem;

/// Each surface vertex as a weighted sum of up to four nodes of a tetrahedral mesh.
struct Embedding {
    Eigen::Matrix<int, 4, Eigen::Dynamic> nodes;
    Eigen::Matrix<double, 4, Eigen::Dynamic> weights;
};

/// A triangle surface that takes part in contact, and what moves it.
///
/// - kinematic: follows a prescribed pose;
/// - link: rigid on a link of an articulated body, or on a haptic tool;
/// - field: embedded in a tetrahedral body in world axes;
/// - phalanx: embedded in a local field that a link carries: x = link pose ∘ (rest + local displacement)
///   (Talvas §4, global corotational mapping), so a contact reaches the joints and the field.
class ContactSurface {
public:
    enum class Kind { kinematic, link, field, phalanx };

    ContactSurface(std::string name, Kind kind, Surface geometry);

    std::string name;
    Kind kind;
    Surface geometry;
    /// Of a rigid surface: what it touches others with, if it is known as it is; geometry is its picture.
    std::shared_ptr<const ConvexShape> shape;
    bool aggregate = false;
    double friction = 0.0;
    /// Velocity of the surface over its body, in the body's axes, as of a belt: linear [m/s] + angular × (x −
    /// centre) [rad/s, m]. Only what lies in the contact plane counts.
    struct Belt {
        Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero(), centre = Vector3d::Zero();
    } belt;
    int body = -1;         ///< body id the surface belongs to
    int link_system = -1;  ///< index of the articulated system, or −1
    int link = -1;
    int field_system = -1;                 ///< index of the tetrahedral system, or −1
    const LinkCarrier* carrier = nullptr;  ///< of the link
    const TetrahedralSystem* field = nullptr;
    Embedding embedding;
    PoseMotion motion;  ///< kinematic only

    /// Moves geometry to the present state of what it is attached to (`time` for kinematic surfaces); for
    /// more than its vertices and box, geometry.refresh() has to follow.
    void update(double time);
    /// Keeps where the surface is shown now as the end of its free motion, at `time`; geometry stays.
    void mark_free(double time);
    /// Keeps the present geometry as the start of the step.
    void mark_start();
    /// Where a surface point was at the start of the step [m]; of a shape the point that faces `towards`, a
    /// unit direction in the world, as below.
    [[nodiscard]] Vector3d start_position(const SurfacePoint& point, const Vector3d& towards) const;
    /// Where a surface point is at the end of its free motion [m].
    [[nodiscard]] Vector3d free_position(const SurfacePoint& point, const Vector3d& towards) const;
    /// Where a vertex was at the start of the step [m].
    [[nodiscard]] Vector3d start_vertex(int vertex) const
    {
        return m_start_pose * m_start_vertices.col(vertex);
    }
    /// No point of the surface has moved further since the start of the step [m].
    [[nodiscard]] double travel() const { return moved(m_pose, m_vertices); }
    /// No point of the surface moves further in its free motion [m].
    [[nodiscard]] double free_travel() const { return m_free_travel; }
    /// A world point of the start of the step, carried along with the surface's motion as a whole, in its
    /// frame.
    [[nodiscard]] Vector3d carried_start(const Vector3d& point) const;
    /// The pose of another body at the end of the step, as this surface would see it had it stayed where it
    /// was at the start: the free motion of the surface as a whole is taken off.
    [[nodiscard]] Pose seen_from_start(const Pose& free) const;
    /// Box around the surface at the start and the end of the step, in the world.
    [[nodiscard]] Aabb swept_box() const;
    /// Where a surface point would be at the start of the step were the tissue not deformed: the reference
    /// shape on its link, or in the placement that fits the whole surface best; of a rigid surface its place
    /// [m].
    [[nodiscard]] Vector3d rest_position(const SurfacePoint& point, const Vector3d& towards) const;
    /// Where a surface point is now [m].
    [[nodiscard]] Vector3d position(const SurfacePoint& point, const Vector3d& towards) const;
    [[nodiscard]] const Pose& start_pose() const { return m_start_pose; }
    [[nodiscard]] const Pose& free_pose() const { return m_free_pose; }
    /// The shape where it is now; only where there is one.
    [[nodiscard]] PlacedShape placed() const { return {shape.get(), m_pose}; }
    /// Box around it now, in the world.
    [[nodiscard]] Aabb bounds() const { return shape ? shape->bounds(m_pose) : geometry.world_box(); }
    [[nodiscard]] bool is_plane() const { return shape && shape->is_plane(); }

    /// Velocity that the belt adds at a point of the start of the step, in the world [m/s].
    [[nodiscard]] Vector3d belt_velocity(const Vector3d& position) const
    {
        return m_start_pose.rotation *
               (belt.linear + belt.angular.cross(m_start_pose.inverse_times(position) - belt.centre));
    }
    [[nodiscard]] Vector3d belt_turning() const { return m_start_pose.rotation * belt.angular; }  ///< [rad/s]
    [[nodiscard]] bool has_belt() const { return !belt.linear.isZero(0.0) || !belt.angular.isZero(0.0); }
    /// Kinematic surfaces: mean velocity over the step, of the material point that starts it at `position`
    /// [m/s].
    [[nodiscard]] Vector3d prescribed_velocity(const Vector3d& position, double step) const;

private:
    [[nodiscard]] Pose shown_pose(double time) const;
    void embed(Points& vertices) const;
    void fit_rest_pose();
    [[nodiscard]] double moved(const Pose& pose, const Points& vertices) const;

    Pose m_start_pose, m_free_pose, m_pose;
    double m_free_travel = 0.0;
    Pose m_rest_pose;  ///< of the reference shape, tissue without a link only
    Quaterniond m_rest_rotation = Quaterniond::Identity();  ///< its rotation, where the next fit starts
    Points m_start_vertices, m_free_vertices, m_vertices;   ///< local, those of rigid surfaces all the same
};

/// Gap of a contact between A and B along its normal [m]: at the start of the step, at the end of the free
/// motion, and now.
[[nodiscard]] double start_gap(const ContactPoint& point, const ContactSurface& a, const ContactSurface& b);
[[nodiscard]] double free_gap(const ContactPoint& point, const ContactSurface& a, const ContactSurface& b);
[[nodiscard]] double end_gap(const ContactPoint& point, const ContactSurface& a, const ContactSurface& b);

}  // namespace softcontact

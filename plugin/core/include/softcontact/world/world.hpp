// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <optional>
#include <softcontact/contact/detection.hpp>
#include <softcontact/haptics/tool_dynamics.hpp>
#include <softcontact/world/articulated_system.hpp>
#include <softcontact/world/contact_problem_builder.hpp>
#include <softcontact/world/contact_surface.hpp>
#include <softcontact/world/grasp_controller.hpp>
#include <softcontact/world/overlap_judge.hpp>
#include <softcontact/world/patch.hpp>
#include <softcontact/world/settings.hpp>
#include <softcontact/world/system.hpp>
#include <softcontact/world/tetrahedral_system.hpp>
#include <string>
#include <vector>

namespace softcontact {

class ToolSystem;

/// Figures of the last step.
struct StepStatistics {
    int contacts = 0;  ///< contact points found
    int rows = 0;      ///< constraint rows of the velocity solve
    int patches = 0;
    int iterations = 0;
    double residual = 0.0;           ///< natural-map residual of the velocity solve [m/s]
    bool converged = true;           ///< both solves came to their tolerances
    double position_residual = 0.0;  ///< of the position solve [m]
    int parts = 0;                   ///< that the step was taken in, those given up among them
    /// Deepest point of a body in another one after the step, by whole surfaces, not by contacts [m].
    double penetration_max = 0.0;
    /// The same as a share of the smaller body's largest side: of pairs that touch in points, and in patches.
    double overlap_points = 0.0, overlap_patches = 0.0;
    double step_ms = 0.0, free_ms = 0.0, detection_ms = 0.0, solve_ms = 0.0, position_ms = 0.0;
    double compliance_ms = 0.0;  ///< of solve_ms: rows, responses A^-1 H^T, and W
    double judge_ms = 0.0;       ///< looking how deep bodies are inside each other
};

/// Bodies, contact and the two-pass time step (Talvas, Algorithm 1, but for where contact is looked for):
/// free motion → detection → velocity solve → integrate → position solve.
///
/// Contact is looked for at the start of the step, where bodies do not overlap, as far as the free motion
/// may bring them together: which sides face each other is known there, however far the free motion leads.
/// A step after which bodies are inside each other, or went through each other, is taken again in two halves,
/// and these if need be in their halves.
///
/// One call a step. After the first steps nothing is allocated, unless there are more contacts than ever
/// before. Same inputs give the same bits.
class World {
public:
    World(double time_step, const Vector3d& gravity, const WorldSettings& settings);

    // ---- bodies. Each call returns a body id; names are unique.
    int add_articulated(const std::string& name, const ArticulatedModel& model,
                        const JointCompliance& compliance, const VectorXd& q0, const VectorXd& v0,
                        bool gravity_compensated);
    int add_tetrahedral(const std::string& name, TetrahedralSystem::Definition definition);
    int add_kinematic(const std::string& name, Surface geometry, PoseMotion motion, double friction);
    /// What a rigid surface touches others with, instead of the mesh that shows it. Raises
    /// std::invalid_argument for tissue, and for a plane that is not kinematic.
    void set_shape(int surface, ConvexShape shape);
    /// A rigid tool that a virtual coupling holds to a device, with its surface.
    int add_tool(const std::string& name, Surface geometry, const ToolProperties& properties,
                 const VirtualCoupling& coupling, const RigidPose& pose, double friction);

    // ---- surfaces. Each call returns a surface id.
    int add_link_surface(int body, int link, const std::string& name, Surface geometry, double friction,
                         bool aggregate);
    int add_field_surface(int body, const std::string& name, Surface geometry, Embedding embedding,
                          double friction, bool aggregate);
    int add_phalanx(int body, int link, const std::string& name, TetrahedralSystem::Definition definition,
                    Surface geometry, Embedding embedding, double friction);

    /// Throws std::invalid_argument unless a surface of that name and friction may be added: so that a body
    /// with its surface comes in whole or not at all.
    void check_surface(const std::string& name, double friction) const;

    void set_pair_friction(int surface_a, int surface_b, double friction);
    /// Newton's coefficient of restitution, in [0, 1]; 0 where none is set.
    void set_pair_restitution(int surface_a, int surface_b, double restitution);
    /// The surface moves over its body like a belt; see ContactSurface::Belt.
    void set_surface_velocity(int surface, const ContactSurface::Belt& belt);
    void disable_pair(int surface_a, int surface_b);
    /// What may touch and overlaps as the surfaces lie now, before the first step.
    struct Overlap {
        int a = 0, b = 0;    ///< surfaces
        double depth = 0.0;  ///< [m]
    };
    [[nodiscard]] std::vector<Overlap> overlaps();
    void set_target_motion(int body, VectorMotion motion);
    void set_kinematic_motion(int body, PoseMotion motion);
    void set_velocity(int body, const VectorXd& velocity);  ///< joint velocities (nv)
    void set_applied_force(int body, const VectorXd& force);
    /// Where the device of a tool is at the start of the next step, and how it moves.
    void set_device(int body, const RigidPose& pose, const Twist& motion);
    void set_coupling(int body, const VirtualCoupling& coupling);  ///< of a tool, from the next step on
    /// Multiplies Young's modulus of a tetrahedral body by a factor > 0 from the next step on; the state
    /// stays.
    void scale_stiffness(int body, double factor);
    /// From the next step on contacts are aggregated, or not. What the pairs remember (pressure, forces to
    /// start from) is forgotten; the state stays as it is, so that both models can be asked about the same
    /// one.
    void set_contact_model(ContactModel model);
    void add_grasp(int body, std::vector<GraspFinger> fingers, double start, double end, double force);

    /// Advances by one time step. Returns false when the state is no longer usable: see failure().
    bool step();

    [[nodiscard]] double time() const { return m_time; }
    [[nodiscard]] double time_step() const { return m_step; }
    [[nodiscard]] const StepStatistics& statistics() const { return m_statistics; }
    [[nodiscard]] const std::vector<PatchReport>& patches() const { return m_builder.reports(); }
    [[nodiscard]] const std::vector<PatchPoint>& patch_points() const { return m_builder.report_points(); }
    /// How near a patch of the last step is to slip [-], 1: it slips; see softcontact::slip_gauge.
    [[nodiscard]] double slip_gauge(const PatchReport& patch) const { return m_builder.slip_gauge(patch); }
    /// Contact forces of the last step at the vertices of a surface (3, n) [N], and the sum of what the force
    /// of each of its contact points has along that point's normal, > 0 for pressure (n) [N]. A force goes to
    /// the corners of its triangle by the weights of the point.
    void vertex_forces(int surface, Points& forces, VectorXd& normal_forces) const
    {
        m_builder.vertex_forces(m_surfaces, surface, forces, normal_forces);
    }
    /// Velocity pass of the last step that came to one; see ContactProblemBuilder::velocity_problem().
    [[nodiscard]] std::optional<VelocityProblem> velocity_problem() const
    {
        return m_builder.velocity_problem();
    }
    [[nodiscard]] int surface_count() const { return static_cast<int>(m_surfaces.size()); }
    /// A surface at its present vertices; its tree, normals and areas may be older, see refreshed_surface().
    [[nodiscard]] const ContactSurface& surface(int id) const
    {
        return m_surfaces.at(static_cast<std::size_t>(id));
    }
    /// The same with all that goes with its present shape.
    [[nodiscard]] const ContactSurface& refreshed_surface(int id)
    {
        ContactSurface& surface = m_surfaces.at(static_cast<std::size_t>(id));
        surface.geometry.refresh();
        return surface;
    }
    [[nodiscard]] int find_surface(const std::string& name) const;  ///< −1 when absent
    [[nodiscard]] int find_body(const std::string& name) const;     ///< −1 when absent
    [[nodiscard]] int body_count() const { return static_cast<int>(m_bodies.size()); }
    [[nodiscard]] const std::string& body_name(int body) const;
    /// System of a body; nullptr for a kinematic one.
    [[nodiscard]] const System* body_system(int body) const;
    /// Pose of a link (link 0 for a rigid body) or of a kinematic body.
    [[nodiscard]] Pose body_pose(int body, int link) const;
    [[nodiscard]] const ArticulatedSystem& articulated(int body) const;
    [[nodiscard]] const ToolSystem& tool(int body) const;
    /// Index of a body's system among those of contact_rows(), −1 for a kinematic one.
    [[nodiscard]] int system_index(int body) const
    {
        return m_bodies.at(static_cast<std::size_t>(body)).system;
    }
    /// Constraint rows of the last step, in the order of velocity_problem().
    [[nodiscard]] const ContactRows& contact_rows() const { return m_builder.rows(); }

    [[nodiscard]] double kinetic_energy() const;
    [[nodiscard]] double elastic_energy() const;
    [[nodiscard]] double potential_energy() const;
    /// All q and v in the order in which bodies were added.
    [[nodiscard]] std::vector<double> state() const;
    [[nodiscard]] bool failed() const { return m_failed; }
    /// "body 'x': reason", empty while all is well.
    [[nodiscard]] const std::string& failure() const { return m_failure; }

private:
    struct Body {
        std::string name;
        int system = -1;
        int surface = -1;  ///< kinematic bodies: their surface
    };

    int new_body(const std::string& name);
    void check_name(const std::string& name) const;
    void check_pair(int surface_a, int surface_b) const;
    int add_surface(ContactSurface surface);
    void renew_pairs();
    void advance_grasps();
    /// Takes the time from end − step to end, in parts where need be. The last part of a step ends at
    /// step_end() to the bit.
    bool advance(double end, double step, int halvings);
    [[nodiscard]] double step_end() const { return static_cast<double>(m_step_index + 1) * m_step; }
    bool finish_step(double end, double step, bool may_cut);
    void keep();
    void go_back();
    [[nodiscard]] bool overlooked_limits();
    [[nodiscard]] bool went_in(int halvings) const;
    void report_overlaps(StepStatistics& statistics) const;
    [[nodiscard]] std::string find_passage();
    bool free_motion(double end, double step);
    /// Solves for the contacts until they suit what inertia adds in the step, which depends on them.
    GaussSeidelResult solve_velocity(double step, bool may_cut);
    [[nodiscard]] bool refine(double step);
    void apply_velocity(double end, double step);
    void apply_position(double step);
    bool check_health();
    bool check_solution();
    bool check_overlaps();
    bool fail(const std::string& body, const std::string& reason);
    bool fail(const std::string& message);
    /// Which surfaces that move by prescription a body is pressed by, in words; empty for none.
    [[nodiscard]] std::string squeezed_by(const std::string& body) const;
    [[nodiscard]] const std::string& moving_side(const PairLaw& pair) const;
    [[nodiscard]] const std::string& other_side(const PairLaw& pair) const;
    ArticulatedSystem& articulated_system(int body);
    ToolSystem& tool(int body);
    [[nodiscard]] ToolSystem* find_tool(int body) const;
    void show_all(double step, double share);

    double m_step;
    Vector3d m_gravity;
    WorldSettings m_settings;
    double m_time = 0.0;
    long m_step_index = 0;

    std::vector<std::unique_ptr<System>> m_systems;
    std::vector<Body> m_bodies;
    std::vector<ContactSurface> m_surfaces;
    std::vector<GraspController> m_grasps;
    VectorXd m_no_change;  ///< zeros
    std::vector<double> m_link_forces;

    PairLaws m_laws;
    std::vector<ContactPair> m_pairs;  ///< near each other
    bool m_pairs_stale = true;

    ContactProblemBuilder m_builder;
    StepStatistics m_statistics;
    OverlapJudge m_judge;
    double m_kept_time = 0.0;
    StepStatistics m_kept_statistics;
    StepStatistics m_start_overlap;  ///< overlaps before the first step
    int m_kept_unsolved_for = 0;
    int m_unsolved_for = 0;    ///< steps in a row without useful contact forces
    BroadPhase m_broad_phase;  ///< of what was swept over in a step, for passages
    std::vector<double> m_ways;
    std::vector<Aabb> m_swept;
    std::vector<BroadPhase::Pair> m_crossed;
    bool m_turned_far = false;  ///< what inertia adds in the last step was not found: it has to be shorter
    bool m_failed = false;
    std::string m_failure;
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <optional>
#include <softcontact/contact/aggregate.hpp>
#include <softcontact/contact/contact_region.hpp>
#include <softcontact/contact/detection.hpp>
#include <softcontact/solver/block_newton.hpp>
#include <softcontact/world/contact_rows.hpp>
#include <softcontact/world/contact_surface.hpp>
#include <softcontact/world/near_pairs.hpp>
#include <softcontact/world/patch.hpp>
#include <softcontact/world/patch_tracker.hpp>
#include <softcontact/world/pressure_memory.hpp>
#include <softcontact/world/settings.hpp>
#include <vector>

namespace softcontact {

/// A velocity pass as it was solved: u = W λ + q, u the velocities of the rows with max(g, 0)/h added to the
/// normal ones. Views into the builder, good until the next step.
struct VelocityProblem {
    const RowMajorMatrix& delassus;              ///< W (rows, rows) [m/s per N]
    Eigen::Map<const VectorXd> right_hand_side;  ///< q (rows) [m/s]
    Eigen::Map<const VectorXd> multipliers;      ///< λ that was found (rows) [N]
    const std::vector<BlockDescriptor>& blocks;
};

/// From surfaces at the start of a step, with their free motion, to solved contact forces.
class ContactProblemBuilder {
public:
    using Systems = ContactRows::Systems;

    /// Forgets all pairs; call it whenever surfaces or laws change.
    void clear_pairs(std::vector<ContactPair>& pairs);
    /// Forgets those that are near each other no more. Between steps.
    void forget_far(std::vector<ContactPair>& pairs);
    /// Finds where every pair touches or may come to touch in this step; what is near for the first time is
    /// added to the pairs. Afterwards the gap of a point is that at the end of the free motion, along the
    /// normal of the start.
    void detect(std::vector<ContactSurface>& surfaces, const PairLaws& laws, std::vector<ContactPair>& pairs,
                const WorldSettings& settings);
    /// Share of the step at which the first free bodies meet that were far apart; 1 where none do. The step
    /// has to be cut there.
    [[nodiscard]] double first_impact() const { return m_first_impact; }
    /// A contact that bounces does so in a step that it starts closed, and it counts as closed where it
    /// closes within this share of the step.
    static constexpr double bounce_share = 1e-3;
    /// Aggregates, builds the rows and the Delassus operator. Contacts that bounce and are apart are left out
    /// where the step may be cut at next_impact(); else they close without a bounce.
    void assemble(const Systems& systems, const std::vector<ContactSurface>& surfaces,
                  std::vector<ContactPair>& pairs, const WorldSettings& settings, double step, bool may_cut);
    /// Velocity pass: 0 ≤ λ_n ⟂ u_n + max(g, 0)/h ≥ 0 with friction, g the gap at the start of the step.
    /// A contact that is still apart may close, but does not act at a distance.
    /// The systems' constraints on single coordinates, joint limits and dry friction, are solved along.
    /// Newton's law with Coulomb's would give energy in some impacts; those bounce less, so that they give
    /// none.
    GaussSeidelResult solve_velocity(const Systems& systems, const WorldSettings& settings, double step);
    /// Takes the systems' free velocities once more, for another velocity pass of the step.
    void renew(const std::vector<ContactPair>& pairs, const WorldSettings& settings, double step,
               bool may_cut);
    /// Share of the step at which a contact that bounces and was left out closes in the motion that was
    /// solved for; infinity where none does.
    [[nodiscard]] double next_impact(double step) const;
    /// Position pass, normals and joint limits only: 0 ≤ Λ_n ⟂ g + n·Δq ≥ 0, g the gap at the surfaces'
    /// present positions. Fills position_multipliers().
    GaussSeidelResult solve_position(const Systems& systems, const std::vector<ContactSurface>& surfaces,
                                     const std::vector<ContactPair>& pairs, const WorldSettings& settings,
                                     double step);
    /// Forces per pair, and what the pairs remember for the next step.
    void report(std::vector<ContactPair>& pairs);
    /// Of a step that is taken in parts: keep_part() after each but the last, with its share of the step's
    /// time; after that one merge_parts() makes the reports those of the whole step. forget_parts() begins a
    /// step.
    void forget_parts();
    void keep_part(double share);
    void merge_parts(double share);
    /// Remembers what the pairs remember, for the step to be taken again in parts; go_back() returns to it.
    void keep(const std::vector<ContactPair>& pairs);
    void go_back(std::vector<ContactPair>& pairs);

    [[nodiscard]] int contact_count() const { return static_cast<int>(m_points.size()); }
    [[nodiscard]] ContactRows& rows() { return m_rows; }
    [[nodiscard]] const ContactRows& rows() const { return m_rows; }
    [[nodiscard]] int row_count() const { return m_rows.row_count(); }
    /// Multipliers of all rows [N], torsion and moments [N·m].
    [[nodiscard]] Eigen::Map<const VectorXd> multipliers() const { return view(m_multipliers); }
    [[nodiscard]] Eigen::Map<const VectorXd> position_multipliers() const
    {
        return view(m_position_multipliers);
    }
    /// The last velocity pass, the joints' constraints after the contacts as blocks of one row; nothing where
    /// a patch took part, whose rows are no point contact's. See PointProblem for the contacts alone.
    [[nodiscard]] std::optional<VelocityProblem> velocity_problem() const;
    [[nodiscard]] const std::vector<PatchReport>& reports() const { return m_reports; }
    [[nodiscard]] const std::vector<PatchPoint>& report_points() const { return m_report_points; }
    /// How near a reported patch of the last step, or the points of a pair as a whole, are to slip; see
    /// softcontact::slip_gauge.
    [[nodiscard]] double slip_gauge(const PatchReport& report) const;
    /// Contact forces of the last step at the vertices of a surface, see World::vertex_forces.
    void vertex_forces(const std::vector<ContactSurface>& surfaces, int surface, Points& forces,
                       VectorXd& normal_forces) const;

private:
    /// Contacts of a pair, or of one patch of it.
    struct PairContacts {
        std::size_t pair = 0;
        std::size_t first = 0;
        std::size_t count = 0;
        std::size_t part = no_part;  ///< of the patch tracker, where a pair may have several patches
    };
    static constexpr std::size_t no_part = static_cast<std::size_t>(-1);
    struct Block {
        std::size_t contacts = 0;         ///< index into m_contacts
        std::size_t point = 0;            ///< point contacts: index into m_points
        int patch = -1;                   ///< aggregated contacts: index into m_patches
        PatchGap gap = PatchGap::Zero();  ///< at the start of the step; of points the first alone
        double bounce = 0.0;  ///< normal velocity at the end at the least, of a contact that bounces [m/s]
        bool waits = false;   ///< bounces, and is left out as it is still apart
        double slack = 0.0;   ///< overlap of a patch that the position pass leaves [m]
        Matrix3d frame = Matrix3d::Identity();  ///< columns n, t, s
    };

    static Eigen::Map<const VectorXd> view(const std::vector<double>& values)
    {
        return {values.data(), static_cast<Index>(values.size())};
    }
    void keep_reached(const ContactSurface& a, const ContactSurface& b, double alarm_distance,
                      double smooth_alarm);
    void make_room(std::vector<ContactPair>& pairs);
    void add_found(std::size_t index, const ContactPair& pair, const ContactSurface& a, bool adaptive);
    [[nodiscard]] PairMemory& memory(const PairContacts& contacts, ContactPair& pair);
    /// Whether contacts of a pair that aggregates can be one patch. What does not yield bears in a plane:
    /// along the mean of several normals, or between points whose gaps no plane tells, nothing holds it.
    /// Elsewhere it touches in points. Uses m_gaps.
    [[nodiscard]] bool bears_as_one(const PairContacts& contacts, const ContactSurface& a,
                                    const ContactSurface& b, const WorldSettings& settings);
    void add_patch(const PairContacts& contacts, const std::vector<ContactSurface>& surfaces,
                   ContactPair& pair, const WorldSettings& settings, double step);
    /// Wants m_gaps of the undeformed bodies, from weigh(), and leaves those of the step's start there.
    FreeTissue free_tissue(std::span<const ContactPoint> points, const ContactSurface& a,
                           const ContactSurface& b, double step);
    void weigh(std::span<ContactPoint> points, const ContactSurface& a, const ContactSurface& b,
               const WorldSettings& settings);
    void add_points(const PairContacts& contacts, const std::vector<ContactSurface>& surfaces,
                    ContactPair& pair);
    /// Velocity pass: sweeps, and where these do not end in time Newton's method; whatever comes nearest.
    GaussSeidelResult solve_blocks(const BlockRows& W, const Eigen::Map<VectorXd>& q,
                                   GaussSeidelOptions options, Eigen::Map<VectorXd> multipliers);
    /// Blocks with their q, what tells how far each is from its solution, and, where the blocks are not the
    /// contacts' own, the mixes of rows that they are.
    struct IslandProblem {
        std::span<const BlockDescriptor> blocks;
        Eigen::Ref<const VectorXd> q;
        BlockGaussSeidel& judge;
        std::span<const RowMix> mixes;
        bool points_alone;                   ///< others than rigid bodies in points are left as they are
        std::span<const double> guess = {};  ///< multipliers that may be near the solution
    };
    /// Whether some island has rigid bodies that touch in points alone.
    bool has_rigid_points();
    /// Newton's method for the islands that the multipliers do not solve yet, each for itself, W times a
    /// scale.
    GaussSeidelResult solve_islands(const IslandProblem& problem, double tolerance,
                                    Eigen::Ref<VectorXd> multipliers, double scale = 1.0);
    GaussSeidelResult solve_island(const IslandProblem& problem, int island, std::span<const int> items,
                                   double tolerance, Eigen::Ref<VectorXd> multipliers, double scale);
    void warm_start(std::vector<ContactPair>& pairs);
    void add_constraints(const Systems& systems);
    void keep_constraint_forces(const Systems& systems) const;
    /// By what normal velocity [m/s] and tilt rates [rad/s] a contact may close in this step, where those
    /// that bounce do so at this share of Newton's law.
    [[nodiscard]] PatchGap allowance(std::size_t block, double step, double bounced) const;
    void set_bounces(const std::vector<ContactPair>& pairs, const WorldSettings& settings, double step,
                     bool may_cut);
    /// Power that the contact forces give to the bodies if they act on the motion at the start [W]; 0 where
    /// they take some.
    [[nodiscard]] double impact_gain() const;
    GaussSeidelResult solve_bounced(const Systems& systems, const WorldSettings& settings, double step,
                                    double bounced);
    void add_belt(const ContactSurface& surface, const ContactPoint& point, const Vector3d& position,
                  const RowForces& directions, double sign);
    /// By how much shapes that turned or slid within the step are deeper than at the points where they
    /// touched at its start [m] <= 0: what was nearest then need not be any more.
    [[nodiscard]] double overlap_beside(const PairContacts& contacts, const ContactSurface& a,
                                        const ContactSurface& b) const;
    /// What of the position pass may be done so that nothing slides further than the reach [m]: a body that
    /// is wedged slips out from overlap like a pip, by more than the overlap and beyond where its contacts
    /// are known.
    [[nodiscard]] double share_within_reach(double reach, double step) const;
    /// Contacts of the position pass: points, corners of patches and joint limits, as mixes of rows. The row
    /// of a corner is the normal row with its levers times those of the tilts.
    void list_corners(const Systems& systems, const std::vector<ContactSurface>& surfaces,
                      const std::vector<ContactPair>& pairs);
    void add_corner(std::size_t block, double gap, const Vector2d& levers = Vector2d::Zero());
    void couple_corners(double step);
    void shift_by_gaps(const Systems& systems, double step, Eigen::Ref<VectorXd> right_hand_side) const;
    /// The contact of a reported point, in whichever part of the step.
    [[nodiscard]] const ContactPoint& contact_of(const PatchPoint& point) const
    {
        const auto at = static_cast<std::size_t>(point.contact);
        return at < m_points.size() ? m_points[at] : m_part_contacts[at - m_points.size()];
    }
    void report_patch(const Block& block, int index, PatchReport& report, ContactPair& pair);
    void report_point(const Block& block, int index, PatchReport& report, ContactPair& pair);

    ContactRows m_rows;
    NearPairs m_near;
    DetectionWorkspace m_detection;
    std::vector<ContactPoint> m_found;   ///< of one pair
    std::vector<ContactPoint> m_points;  ///< of all pairs
    std::vector<PairContacts> m_contacts;
    PatchTracker m_tracker, m_kept_tracker;
    std::vector<PairMemory> m_kept_memory;  ///< one a pair
    std::vector<Block> m_blocks;
    std::vector<AggregatePatch> m_patches;
    int m_patch_count = 0;
    std::size_t m_pair_room = 0;  ///< contacts of one pair that there is room for, whichever pair it is
    std::size_t m_row_room = 0;   ///< rows that there is room for
    std::vector<PressureSpread> m_spreads;  ///< of the patches
    ContactRegion m_region;
    std::vector<double> m_gaps, m_weights;  ///< of the patch at hand
    mutable RowMajorMatrix m_dense;         ///< W of velocity_problem()
    ContactIslands m_islands;
    std::vector<int> m_first_item, m_items;  ///< blocks of a problem, or mixes, by island
    std::vector<BlockDescriptor> m_island;   ///< blocks of one island, rows counted from its first
    std::vector<RowMix> m_island_mixes;
    BodyOperator m_operator;
    bool m_bounces = false;       ///< some contact bounces in this step
    double m_first_impact = 1.0;  ///< share of the step at which shapes that are far apart meet

    BlockGaussSeidel m_solver;
    BlockNewton m_newton;
    std::vector<BlockDescriptor> m_descriptors;
    std::vector<double> m_multipliers, m_right_hand_side, m_warm_start, m_tried, m_guess;
    std::vector<RowMix> m_mixes;  ///< of the position pass, and their gaps [m]
    std::vector<double> m_corner_gaps;
    std::vector<int> m_first_corner;  ///< of each block, and one past the end
    std::vector<std::vector<int>> m_corner_coupled;
    std::vector<std::pair<int, int>> m_corner_places;
    std::vector<BlockDescriptor> m_corner_rows;
    BlockRows m_corner_delassus;
    BlockGaussSeidel m_position_solver;
    std::vector<double> m_position_multipliers, m_position_solution;

    std::vector<PatchReport> m_reports;
    std::vector<PatchPoint> m_report_points;
    std::vector<PatchReport> m_part_reports;  ///< of earlier parts of the step, times their share of it
    std::vector<PatchPoint> m_part_points, m_own_points;
    std::vector<ContactPoint> m_part_contacts;  ///< one a part's point
};

}  // namespace softcontact

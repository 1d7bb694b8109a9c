// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <softcontact/vademecum/contact_body.hpp>
#include <softcontact/vademecum/contact_branch.hpp>
#include <span>
#include <vector>

namespace softcontact {

struct ResponseSettings {
    Index capacity = 48;  ///< loads of contact kept apart on a body, >= 1; more are joined to their nearest
    int max_iterations = 12;  ///< Newton steps of a question, >= 1
    double tolerance = 1e-6;  ///< of the loads' change in a step against their size

    /// Throws std::invalid_argument.
    void validate() const;
};

/// How a question for an equilibrium ended.
struct ResponseStatus {
    bool converged = false;
    int iterations = 0;      ///< Newton steps taken
    double residual = 0.0;   ///< of the last one, against the size of the loads
    Index contacts = 0;      ///< points of the shells inside
    Index loads = 0;         ///< of contact, on both bodies
    int detections = 0;      ///< times that contact was looked for
    double detection = 0.0;  ///< time in that [s]
};

/// A body of a ContactResponse, in its own axes.
struct YieldingBody {
    const SeparatedField& field;  ///< has to live on
    Points nodes;                 ///< rest positions (3, n) [m]
    Triangles triangles;          ///< of its boundary (3, m), counter-clockwise from outside
    LoadFamilies families;
    MaterialPoints shell = {};  ///< presses into the other body; none: it is only pressed into
};

/// A vademecum's body pressed by a rigid pointshell, or two such bodies of which one or both carry a shell
/// that is pressed into the other: the sizes t of the loads on both with which the forces of contact, at the
/// displacements that they predict, are those loads,
///
///     t = L f(u(t)),    f nodal forces of PenaltyContact, L what LoadFamilies makes of them
///
/// found by Newton's method from where the last question ended, the derivative of u with it; which points
/// touch, and which of them stick, is found within each step, on the linearised displacements. So contact may
/// be far stiffer than the bodies. A question that runs out of steps answers with the last forces, and goes
/// on with the next question. Nothing allocates after the construction.
class ContactResponse {
public:
    /// A rigid shell of `points` points.
    /// @throws std::invalid_argument arguments that do not fit together.
    ContactResponse(const YieldingBody& body, const PenaltySettings& penalty, Index points,
                    const ResponseSettings& settings);
    /// Two bodies. A shell of the second is pressed into the first, and, where there is one, a shell of the
    /// first into the second; then both have the penalty's stiffness.
    /// @throws std::invalid_argument arguments that do not fit together, no shell.
    ContactResponse(const YieldingBody& first, const YieldingBody& second, const PenaltySettings& penalty,
                    const ResponseSettings& settings);

    /// Loads on a body besides contact (at most `most_held`), from the next question on. False, and nothing
    /// changed, where there are more, no such case or body, or a size that is not finite.
    bool hold(std::span<const Index> cases, std::span<const double> sizes, Index body = 0) noexcept;
    static constexpr std::size_t most_held = ContactBody::most_held;

    /// Equilibrium with the rigid shell's points (3, n) [m] here, in the body's axes; of two bodies nothing.
    /// Sticking points stay where they stick from one question to the next.
    ResponseStatus solve(const Eigen::Ref<const Points>& points) noexcept;
    /// Equilibrium of two bodies with the second one's axes here in those of the first one; of one nothing.
    ResponseStatus solve(const RigidPose& second) noexcept;
    /// No contact, no loads of contact.
    void release() noexcept;

    [[nodiscard]] Index body_count() const { return static_cast<Index>(m_bodies.size()); }
    [[nodiscard]] const ContactBody& body(Index number) const
    {
        return *m_bodies[static_cast<std::size_t>(number)];
    }
    /// Shells: number 0 is pressed into the first body, number 1, of the first body, into the second.
    [[nodiscard]] Index shell_count() const { return static_cast<Index>(m_shells.size()); }
    /// Contact of a shell, in the axes of the body that it is pressed into.
    [[nodiscard]] const PenaltyContact& contact(Index shell = 0) const
    {
        return *m_shells[static_cast<std::size_t>(shell)].contact;
    }
    /// Force of all contact on the rigid shell, or the second body, and its moment about a centre [m], in the
    /// first body's axes.
    [[nodiscard]] Wrench wrench(const Vector3d& centre) const noexcept;
    /// Loads that each body has room for.
    [[nodiscard]] Index capacity() const { return m_settings.capacity; }

private:
    /// A shell and the body that it is pressed into.
    struct Shell {
        ContactBody* into;
        ContactBody* of;  ///< null: rigid
        std::unique_ptr<PenaltyContact> contact;
        Points points;                         ///< in the axes of `into`
        Matrix3d turn = Matrix3d::Identity();  ///< from the axes of `of` to those of `into`
        Vector3d shift = Vector3d::Zero();

        [[nodiscard]] std::size_t candidate_count() const
        {
            return contact->contacts().size() + contact->near_points().size();
        }
        /// Points inside, then those near.
        [[nodiscard]] const PenaltyPoint& candidate(std::size_t c) const
        {
            const auto inside = contact->contacts();
            return c < inside.size() ? inside[c] : contact->near_points()[c - inside.size()];
        }
    };

    void add_body(const YieldingBody& body);
    void add_shell(const YieldingBody& into, ContactBody& body, ContactBody* of, Index points,
                   const PenaltySettings& penalty);
    void reserve();
    ResponseStatus solve() noexcept;
    void look() noexcept;
    void differentiate() noexcept;
    bool linear_step() noexcept;
    void add_contact(const Shell& shell, const PenaltyPoint& contact, std::size_t row) noexcept;
    void add_force(const ContactBody& body, const Eigen::Ref<const Eigen::Vector3i>& nodes,
                   const Vector3d& shares, const Matrix3d& turn, const Vector3d& force,
                   const Matrix3d& stiffness, std::size_t row) noexcept;
    [[nodiscard]] double longest_way() noexcept;
    [[nodiscard]] Index load_count() const;
    /// First column of a body's loads.
    [[nodiscard]] Index first(const ContactBody& body) const
    {
        return &body == m_bodies.front().get() ? 0 : m_bodies.front()->load_count();
    }
    template <typename Visit>
    void for_each_candidate(const Visit& visit) const noexcept;

    ResponseSettings m_settings;
    std::vector<std::unique_ptr<ContactBody>> m_bodies;
    std::vector<Shell> m_shells;
    ResponseStatus m_status;  ///< of the question that is being answered
    double m_reach = 0.0;     ///< of the points that a step looks at besides those inside [m]
    double m_deepest = 0.0;   ///< point [m]
    double m_most_way = 0.0;  ///< that a step may move the bodies [m]
    MatrixXd m_matrix;        ///< derivative of t − L f
    MatrixXd m_rows;          ///< way of each candidate's place before its point (3 × candidates, loads)
    std::vector<ContactBranch> m_branch;  ///< of each candidate when the step is done
    VectorXd m_change;
};

}  // namespace softcontact

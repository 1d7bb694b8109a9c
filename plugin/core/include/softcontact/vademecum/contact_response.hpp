// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <softcontact/vademecum/load_families.hpp>
#include <softcontact/vademecum/penalty_contact.hpp>
#include <span>
#include <vector>

namespace softcontact {

struct ResponseSettings {
    Index capacity = 48;      ///< loads of contact kept apart, >= 1; more are joined to their nearest
    int max_iterations = 12;  ///< Newton steps of a question, >= 1
    double tolerance = 1e-6;  ///< of the loads' change in a step against their size

    /// Throws std::invalid_argument.
    void validate() const;
};

/// How a question for an equilibrium ended.
struct ResponseStatus {
    bool converged = false;
    int iterations = 0;     ///< Newton steps taken
    double residual = 0.0;  ///< of the last one, against the size of the loads
    Index contacts = 0;     ///< points of the shell inside
    Index loads = 0;        ///< of contact
};

/// A vademecum's body pressed by a pointshell: the sizes t of the loads with which the forces of contact, at
/// the displacements that they predict, are those loads,
///
///     t = L f(u(t)),    f nodal forces of PenaltyContact, L what LoadFamilies makes of them
///
/// found by Newton's method from where the last question ended, the derivative of u with it; which points
/// touch is found within each step, on the linearised displacements. So contact may be far stiffer than the
/// body. A question that runs out of steps answers with the last forces, and goes on
/// with the next question. Nothing allocates after the construction.
class ContactResponse {
public:
    /// `field` has to live on. @throws std::invalid_argument arguments that do not fit together.
    ContactResponse(const SeparatedField& field, Points nodes, const Eigen::Ref<const Triangles>& triangles,
                    LoadFamilies families, const PenaltySettings& penalty, Index points,
                    const ResponseSettings& settings);

    /// Loads besides contact (at most `most_held`), from the next question on. False, and nothing changed,
    /// where there are more, no such case, or a size that is not finite.
    bool hold(std::span<const Index> cases, std::span<const double> sizes) noexcept;
    static constexpr std::size_t most_held = 16;

    /// Equilibrium with the shell's points (3, n) [m] here. Sticking points stay where they stick from one
    /// question to the next.
    ResponseStatus solve(const Eigen::Ref<const Points>& points) noexcept;
    /// No contact, no loads of contact.
    void release() noexcept;

    /// Loads of contact, capacity() of them at most.
    [[nodiscard]] Index load_count() const { return static_cast<Index>(m_active.size()); }
    [[nodiscard]] LoadFamilies::Load load(Index number) const noexcept;
    [[nodiscard]] Index capacity() const { return m_settings.capacity; }
    [[nodiscard]] const PenaltyContact& contact() const { return *m_contact; }
    [[nodiscard]] const LoadedField& field() const { return *m_loaded; }
    [[nodiscard]] DeformedBoundary& boundary() { return m_contact->boundary(); }

private:
    [[nodiscard]] double size_of(Index key) const { return m_size[static_cast<std::size_t>(key)]; }
    /// Points inside, then those near.
    [[nodiscard]] std::size_t candidate_count() const
    {
        return m_contact->contacts().size() + m_contact->near_points().size();
    }
    [[nodiscard]] const PenaltyPoint& candidate(std::size_t c) const
    {
        const auto inside = m_contact->contacts();
        return c < inside.size() ? inside[c] : m_contact->near_points()[c - inside.size()];
    }
    /// Loaded position that takes the share of a corner, -1: none.
    [[nodiscard]] Index position_of(const PenaltyPoint& contact, int corner) const
    {
        if (contact.place.shares[corner] == 0.0) return -1;
        return m_families.position(
            m_contact->boundary().topology().triangles(corner, contact.place.triangle));
    }
    void evaluate(const Eigen::Ref<const Points>& points, double reach) noexcept;
    void gather() noexcept;
    void join() noexcept;
    void differentiate() noexcept;
    bool linear_step() noexcept;
    void add_contact(std::size_t c) noexcept;

    LoadFamilies m_families;
    ResponseSettings m_settings;
    Points m_nodes;
    std::unique_ptr<LoadedField> m_loaded;  ///< where it stays
    std::unique_ptr<PenaltyContact> m_contact;
    std::vector<Index> m_held_cases;
    std::vector<double> m_held_sizes;

    // a load of contact is known by its key: position × axes + axis
    std::vector<double> m_size, m_wanted;  ///< of each key [-]: t, and L f(u(t))
    std::vector<Index> m_slot;             ///< of each key among the active ones, -1: none
    std::vector<Index> m_active, m_all;
    std::vector<Index> m_cases;
    std::vector<double> m_sizes;
    std::vector<Index> m_node_slot;  ///< of each node among those touched
    std::vector<int> m_touched;
    MatrixXd m_ways;              ///< change of the amplitudes with each active load (m, loads)
    MatrixXd m_bends;             ///< change of an answer with its size τ (m, loads)
    MatrixXd m_like;              ///< likeness of the active loads
    MatrixXd m_series;            ///< secant series of each active load (terms, loads)
    MatrixXd m_moves;             ///< change of each touched node's place (3 × nodes, loads)
    MatrixXd m_matrix;            ///< derivative of t − L f
    MatrixXd m_rows;              ///< change of each candidate's place (3 × candidates, loads)
    std::vector<char> m_pressed;  ///< of each candidate: inside when the step is done
    VectorXd m_change, m_together, m_term;
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/types.hpp>
#include <vector>

namespace softcontact {

/// Exact solver for a few frictional contacts whose free displacement moves in six dimensions:
///
///     w = W λ + H d + g,    0 ≤ λ_n ⟂ w_n ≥ 0,    ǀλ_tǀ ≤ μ λ_n,  opposite to what slips
///
/// w (n, t, s a contact) relative displacements [m], λ forces [N], d the free displacement of the tool (6).
/// It keeps the system solved for the present set of open, sticking and sliding contacts, so that a tick with
/// an unchanged set costs rows × 7 operations; each change of the set is a few exchanges of rank one. After
/// construction nothing allocates, locks or throws.
class ContactTableau {
public:
    enum class State : unsigned char { open, stick, slide };

    /// Room for `capacity` contacts (>= 0).
    explicit ContactTableau(int capacity = 0);

    /// Starts anew with `contacts` open contacts; more than capacity() are a programming error.
    void begin(int contacts);
    /// W (3n, 3n) [m/N], to whose diagonal a little compliance is added so that redundant contacts share the
    /// load and no sequence of changes loses its figures. Returns what is added [m/N]: a user who knows the
    /// forces λ of some state keeps it as it is by g − added λ.
    double set_compliance(const Eigen::Ref<const MatrixXd>& compliance);
    /// H (3n, 6), g (3n), μ (n). Call after set_compliance().
    void set_rows(const Eigen::Ref<const MatrixXd>& rows, const Eigen::Ref<const VectorXd>& offsets,
                  const Eigen::Ref<const VectorXd>& friction);
    /// Puts a contact into `state`. Where it slides, `slip` is the unit direction (t, s) of its friction
    /// force and `normal_force` what its bound starts from [N].
    void set_state(int contact, State state, const Vector2d& slip = Vector2d::UnitX(),
                   double normal_force = 0.0);

    /// Forces at the free displacement `d`; at most `max_changes` contacts change their state. A call that
    /// runs out of changes, or in circles, takes the set of contacts from sweeps over them instead.
    /// Returns the number of changes.
    int solve(const Vector6d& d, int max_changes);
    /// The same with the present states whatever comes of it, and without cutting the forces.
    void solve_fixed(const Vector6d& d);
    /// λ (3n) of the last solve [N].
    [[nodiscard]] Eigen::Map<const VectorXd> forces() const { return {m_force.data(), m_rows}; }
    /// w (3n) of the last solve [m]; tangential parts since the contact last began to stick.
    [[nodiscard]] Eigen::Map<const VectorXd> displacements() const { return {m_displacement.data(), m_rows}; }
    /// Hᵀλ of the last solve: force and torque on the tool.
    [[nodiscard]] Vector6d wrench() const;

    [[nodiscard]] int contacts() const { return m_contacts; }
    [[nodiscard]] int capacity() const { return m_capacity; }
    [[nodiscard]] State state(int contact) const { return m_state[static_cast<std::size_t>(contact)]; }
    [[nodiscard]] Vector2d slip(int contact) const { return m_slip[static_cast<std::size_t>(contact)]; }
    [[nodiscard]] double friction(int contact) const { return m_friction[static_cast<std::size_t>(contact)]; }
    [[nodiscard]] const double* rows() const { return m_h.data(); }  ///< H, row after row (3n × 6)
    /// Contacts with a force after the last solve.
    [[nodiscard]] int touching() const;
    /// All of its state as numbers, for what hands over nothing else; packed_size() of them, and at most
    /// packed_size(capacity()).
    [[nodiscard]] Index packed_size() const { return packed_size(m_contacts); }
    [[nodiscard]] static Index packed_size(int contacts);
    double* pack(double* out) const;  ///< where it ended
    /// The inverse. False, and empty, where the numbers are none of pack() or there is no room for them.
    bool unpack(const double* in, Index count) noexcept;
    /// No entry is NaN or infinite.
    [[nodiscard]] bool finite() const;

private:
    struct Change {
        int contact = -1;
        State state = State::open;
        Vector2d slip = Vector2d::UnitX();
    };

    [[nodiscard]] double& at(int row, int column)
    {
        return m_table[static_cast<std::size_t>(row) * static_cast<std::size_t>(m_stride) +
                       static_cast<std::size_t>(column)];
    }
    double* row(int index) { return &at(index, 0); }
    [[nodiscard]] int rhs() const { return m_rows; }
    bool exchange(int row);
    void anchor(int contact, const Vector2d& displacement);
    bool change(const Change& to);
    void evaluate(const Vector6d& d);
    [[nodiscard]] Change worst_violation() const;
    void cut();
    void sweep(const Vector6d& d);
    void sweep_contact(int contact);
    void take_swept(const Vector6d& d);

    int m_capacity = 0;
    int m_contacts = 0;
    int m_rows = 0;
    int m_stride = 7;
    std::vector<double> m_table;          ///< rows × (rows + 7): the independents, then d and 1
    std::vector<double> m_h;              ///< H, row after row
    std::vector<double> m_diagonal;       ///< of W
    std::vector<double> m_base;           ///< of the dependents, without sliding friction
    std::vector<double> m_normal;         ///< normal force that bounds a sliding contact's friction
    std::vector<double> m_value;          ///< of the dependents
    std::vector<double> m_force;          ///< λ
    std::vector<double> m_displacement;   ///< w
    std::vector<double> m_friction;       ///< μ, one a contact
    std::vector<unsigned char> m_active;  ///< λ is the dependent of the row
    std::vector<State> m_state;
    std::vector<Vector2d> m_slip;  ///< direction of the friction force of a sliding contact
    std::vector<double> m_swept;   ///< λ of the last solve, and what sweeps make of it
    std::vector<Vector2d> m_last;  ///< tangential displacement after the last solve
    std::vector<unsigned char> m_has_last;
    std::vector<unsigned char> m_refused;  ///< contacts that could not change, in the present solve
};

}  // namespace softcontact

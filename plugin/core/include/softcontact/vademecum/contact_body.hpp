// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <softcontact/vademecum/load_families.hpp>
#include <softcontact/vademecum/prediction_tangent.hpp>
#include <span>
#include <vector>

namespace softcontact {

/// Points that go with a body's material: each by three nodes and their shares (3, points), sum 1.
struct MaterialPoints {
    Triangles nodes;
    Points shares;

    [[nodiscard]] Index count() const { return nodes.cols(); }
};

/// A vademecum's body as one of two that touch: the loads that contact puts on it, the displacements that
/// they predict, and how those change with the loads. Nothing allocates after the construction.
class ContactBody {
public:
    static constexpr std::size_t most_held = 16;

    /// @param field has to live on. @param nodes rest positions (3, n) [m].
    /// @param shell on it; may have no points.
    /// @param capacity loads of contact kept apart; more are joined to their nearest.
    /// @throws std::invalid_argument arguments that do not fit together.
    ContactBody(const SeparatedField& field, Points nodes, LoadFamilies families, MaterialPoints shell,
                Index capacity);

    /// Loads besides contact. False, and nothing changed, where there are more than most_held, no such case,
    /// or a size that is not finite.
    bool hold(std::span<const Index> cases, std::span<const double> sizes) noexcept;
    /// No loads of contact.
    void release() noexcept;

    /// Displacements under the loads as they are now.
    void predict() noexcept;
    /// The shell as displaced, turned and moved (3, points) [m].
    void place_shell(const Matrix3d& turn, const Vector3d& shift, Eigen::Ref<Points> out) noexcept;

    /// The loads that contact asks for: none; then add a force [N] at shares of three nodes, may be zero;
    /// then make up which loads there are.
    void begin() noexcept;
    void want(const Eigen::Ref<const Eigen::Vector3i>& nodes, const Vector3d& shares,
              const Vector3d& force) noexcept;
    void settle() noexcept;

    /// Derivatives by the loads that there are.
    void differentiate() noexcept;
    /// Adds `turn` times the way (3, loads) of a place per size of each load.
    void add_moves(const Eigen::Ref<const Eigen::Vector3i>& nodes, const Vector3d& shares,
                   const Matrix3d& turn, Eigen::Ref<MatrixXd> out) noexcept;
    /// About how far a change of the loads moves the body [m]: the nodes at its ends.
    [[nodiscard]] double way(const Eigen::Ref<const VectorXd>& change) noexcept;

    /// Adds to the sizes.
    void step(const Eigen::Ref<const VectorXd>& change) noexcept;

    [[nodiscard]] Index load_count() const { return static_cast<Index>(m_active.size()); }
    [[nodiscard]] double size(Index load) const { return m_size[key(load)]; }
    [[nodiscard]] LoadFamilies::Load load(Index number) const noexcept;
    /// Load that takes the share of a node along an axis, -1: none.
    [[nodiscard]] Index slot(int node, Index axis) const
    {
        const Index position = m_families.position(node);
        return position < 0 ? -1 : m_slot[static_cast<std::size_t>(position * axis_count() + axis)];
    }
    [[nodiscard]] Index capacity() const { return m_capacity; }
    [[nodiscard]] Index axis_count() const { return m_families.axis_count(); }
    [[nodiscard]] const LoadFamilies& families() const { return m_families; }
    [[nodiscard]] const MaterialPoints& shell() const { return m_shell; }
    [[nodiscard]] const LoadedField& loaded() const { return m_loaded; }
    [[nodiscard]] LoadedField& loaded() { return m_loaded; }
    [[nodiscard]] double smallest_extent() const { return m_smallest_extent; }

private:
    [[nodiscard]] std::size_t key(Index load) const
    {
        return static_cast<std::size_t>(m_active[static_cast<std::size_t>(load)]);
    }
    void list_loads() noexcept;
    void join() noexcept;
    [[nodiscard]] Index touch(int node) noexcept;

    LoadFamilies m_families;
    Points m_nodes;
    MaterialPoints m_shell;
    Index m_capacity;
    double m_smallest_extent = 0.0;
    LoadedField m_loaded;
    PredictionTangent m_tangent;
    std::vector<Index> m_held_cases;
    std::vector<double> m_held_sizes;

    // a load of contact is known by its key: position × axes + axis
    std::vector<double> m_size, m_wanted;  ///< of each key [-]
    std::vector<Index> m_slot;             ///< of each key among the active ones, -1: none
    std::vector<Index> m_active, m_all;
    std::vector<Index> m_cases;  ///< held, then of contact
    std::vector<double> m_sizes;
    std::vector<double> m_slopes;    ///< of each of contact, of its case's size with its own
    std::vector<Index> m_node_slot;  ///< of each node among those touched, -1: not touched
    std::vector<int> m_touched;
    std::vector<Index> m_shell_nodes;    ///< that the shell hangs on
    std::vector<Index> m_place_of_node;  ///< of each node among them
    std::vector<int> m_ends;             ///< nodes at the corners of the body's box
    Points m_shell_positions;
    MatrixXd m_moves;  ///< change of each touched node's place (3 × nodes, loads)
    VectorXd m_bend;   ///< change of the amplitudes
};

}  // namespace softcontact

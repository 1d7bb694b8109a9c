// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cassert>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "softcontact/types.hpp"

namespace softcontact {

/// Axis-aligned box; default constructed it is empty (extending it by anything gives that thing).
struct Aabb {
    Vector3d lower = Vector3d::Constant(std::numeric_limits<double>::infinity());
    Vector3d upper = Vector3d::Constant(-std::numeric_limits<double>::infinity());

    void extend(const Vector3d& point)
    {
        lower = lower.cwiseMin(point);
        upper = upper.cwiseMax(point);
    }
    void extend(const Aabb& other)
    {
        lower = lower.cwiseMin(other.lower);
        upper = upper.cwiseMax(other.upper);
    }
    [[nodiscard]] Aabb inflated(double margin) const
    {
        return {lower - Vector3d::Constant(margin), upper + Vector3d::Constant(margin)};
    }
    [[nodiscard]] Vector3d center() const { return 0.5 * (lower + upper); }
    [[nodiscard]] double diagonal() const { return (upper - lower).norm(); }
    [[nodiscard]] bool overlaps(const Aabb& other) const
    {
        return (lower.array() <= other.upper.array()).all() && (other.lower.array() <= upper.array()).all();
    }
    [[nodiscard]] bool contains(const Vector3d& point) const
    {
        return (lower.array() <= point.array()).all() && (point.array() <= upper.array()).all();
    }
    /// Squared distance [m²] from a point to the box, 0 inside.
    [[nodiscard]] double squared_distance(const Vector3d& point) const
    {
        return (lower - point).cwiseMax(point - upper).cwiseMax(0.0).squaredNorm();
    }
    /// Whether the segment (start, end) meets the box. Separating axes, conservative for a segment that is
    /// parallel to an axis of the box.
    [[nodiscard]] bool meets_segment(const Vector3d& start, const Vector3d& end) const
    {
        const Vector3d half = 0.5 * (upper - lower);
        const Vector3d middle = 0.5 * (start + end) - center();
        const Vector3d reach = 0.5 * (end - start);
        const Vector3d extent = reach.cwiseAbs();
        if ((middle.cwiseAbs().array() > (half + extent).array()).any()) return false;
        const Vector3d cross = middle.cross(reach).cwiseAbs();
        return cross.x() <= half.y() * extent.z() + half.z() * extent.y() + margin(half, extent) &&
               cross.y() <= half.z() * extent.x() + half.x() * extent.z() + margin(half, extent) &&
               cross.z() <= half.x() * extent.y() + half.y() * extent.x() + margin(half, extent);
    }
    /// Box around this one after a rigid motion.
    [[nodiscard]] Aabb transformed(const Pose& pose) const
    {
        const Vector3d middle = pose * center();
        const Vector3d half = pose.rotation.cwiseAbs() * (0.5 * (upper - lower));
        return {middle - half, middle + half};
    }

private:
    [[nodiscard]] static double margin(const Vector3d& half, const Vector3d& extent)
    {
        return 1e-12 * (half.sum() + extent.sum()) * extent.sum();  // round-off of the cross product
    }
};

/// Binary tree of boxes over a fixed set of items: built once by median splits, refitted as the items move.
class AabbTree {
public:
    struct Node {
        Aabb box;
        int first = 0;  ///< leaf: first position in order(); inner node: right child (the left one is next)
        int count = 0;  ///< items of a leaf, 0 for an inner node
    };
    static constexpr int leaf_size = 3;
    static constexpr int stack_size = 64;  ///< a median split halves the items, so depth < 32

    AabbTree() = default;
    explicit AabbTree(std::span<const Aabb> boxes);

    [[nodiscard]] const Aabb& box() const { return m_nodes.front().box; }
    [[nodiscard]] const std::vector<Node>& nodes() const { return m_nodes; }
    [[nodiscard]] const std::vector<int>& order() const { return m_order; }

    /// Recomputes every box; item_box(i) gives the box of item i.
    template <typename ItemBox>
    void refit(const ItemBox& item_box)
    {
        for (auto node = m_nodes.rbegin(); node != m_nodes.rend(); ++node) {
            Aabb box;
            if (node->count > 0) {
                for (int k = 0; k < node->count; ++k) box.extend(item_box(m_order[node->first + k]));
            } else {
                box = (node - 1)->box;  // the next node in memory is the left child
                box.extend(m_nodes[node->first].box);
            }
            node->box = box;
        }
    }

    /// Calls visit(item) for the items of all leaves whose box meets(box), in the order of the tree.
    template <typename Meets, typename Visit>
    void for_each(const Meets& meets, const Visit& visit) const
    {
        std::array<int, stack_size> stack;
        int size = 0;
        stack[size++] = 0;
        while (size > 0) {
            const int index = stack[--size];
            const Node& node = m_nodes[index];
            if (!meets(node.box)) continue;
            if (node.count > 0) {
                for (int k = 0; k < node.count; ++k) visit(m_order[node.first + k]);
            } else {
                stack[size++] = node.first;
                stack[size++] = index + 1;
            }
        }
    }

    /// Calls visit(item of this, item of other) for the items of all pairs of leaves whose boxes overlap,
    /// those of this tree seen through `to_other`, in `boxes`.
    template <typename Visit>
    void for_each_pair(const AabbTree& other, const Pose& to_other, std::vector<Aabb>& boxes,
                       const Visit& visit) const
    {
        boxes.clear();
        for (const Node& node : m_nodes) boxes.push_back(node.box.transformed(to_other));
        std::array<std::pair<int, int>, 2 * stack_size> stack;
        int size = 0;
        stack[size++] = {0, 0};
        while (size > 0) {
            const auto [i, j] = stack[--size];
            const Node &mine = m_nodes[i], &theirs = other.m_nodes[j];
            const Aabb& box = boxes[static_cast<std::size_t>(i)];
            if (!box.overlaps(theirs.box)) continue;
            if (mine.count > 0 && theirs.count > 0) {
                for (int k = 0; k < mine.count; ++k) {
                    for (int l = 0; l < theirs.count; ++l) {
                        visit(m_order[mine.first + k], other.m_order[theirs.first + l]);
                    }
                }
            } else if (theirs.count > 0 || (mine.count == 0 && box.diagonal() > theirs.box.diagonal())) {
                stack[size++] = {mine.first, j};
                stack[size++] = {i + 1, j};
            } else {
                stack[size++] = {i, theirs.first};
                stack[size++] = {i, j + 1};
            }
        }
    }

    /// Calls improve(item, bound) for items whose leaf lies within the squared distance `bound` of a point,
    /// nearer subtrees first; improve may lower the bound. Items at exactly the bound are still visited, so
    /// that ties are for improve to settle and do not depend on the shape of the tree.
    template <typename Improve>
    void search_nearest(const Vector3d& point, double bound, const Improve& improve) const
    {
        struct Open {  // not a pair: its constructor would write all of the stack
            int index;
            double squared_distance;
        };
        std::array<Open, stack_size> stack;
        int size = 0;
        stack[size++] = {0, box().squared_distance(point)};
        while (size > 0) {
            const auto [index, squared_distance] = stack[--size];
            if (!(squared_distance <= bound)) continue;
            const Node& node = m_nodes[index];
            if (node.count > 0) {
                for (int k = 0; k < node.count; ++k) improve(m_order[node.first + k], bound);
                continue;
            }
            const double left = m_nodes[index + 1].box.squared_distance(point);
            const double right = m_nodes[node.first].box.squared_distance(point);
            if (left <= right) {
                stack[size++] = {node.first, right};
                stack[size++] = {index + 1, left};
            } else {
                stack[size++] = {index + 1, left};
                stack[size++] = {node.first, right};
            }
        }
    }

private:
    void build(std::span<const Aabb> boxes, int begin, int end);

    std::vector<Node> m_nodes;
    std::vector<int> m_order;
};

}  // namespace softcontact

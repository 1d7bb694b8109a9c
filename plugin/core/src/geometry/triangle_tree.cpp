// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/triangle_tree.hpp"

#include <algorithm>
#include <numeric>

namespace softcontact {

namespace {

// Share of its coordinates by which a box is larger than what it holds, and share by which a distance has to
// be larger to be believed so: far above round-off.
constexpr double slack_ratio = 1e-12;

// How far around the nearest triangle packs are remembered, as a share of a triangle's mean edge.
constexpr double margin_ratio = 0.3;

/// Brings items that are near each other together: every run of `pack_size` to some power is compact.
void sort_by_place(const Points& centres, std::vector<int>::iterator begin, std::vector<int>::iterator end)
{
    const auto count = end - begin;
    if (count <= pack_size) {
        std::sort(begin, end);
        return;
    }
    std::ptrdiff_t left = pack_size;
    while (2 * left < count) left *= 2;
    Vector3d lower = centres.col(*begin), upper = lower;
    for (auto it = begin; it != end; ++it) {
        lower = lower.cwiseMin(centres.col(*it));
        upper = upper.cwiseMax(centres.col(*it));
    }
    Index axis = 0;
    (upper - lower).maxCoeff(&axis);
    // A total order (ties by index) makes the tree the same with every standard library.
    std::nth_element(begin, begin + left, end, [&](int i, int j) {
        const double x = centres(axis, i), y = centres(axis, j);
        return x < y || (x == y && i < j);
    });
    sort_by_place(centres, begin, begin + left);
    sort_by_place(centres, begin + left, end);
}

constexpr std::size_t packs_for(std::size_t items)
{
    return (items + pack_size - 1) / pack_size;
}

}  // namespace

TriangleTree::TriangleTree(const Eigen::Ref<const Points>& corners,
                           const Eigen::Ref<const Triangles>& triangles)
{
    const auto count = static_cast<std::size_t>(triangles.cols());
    Points centres(3, triangles.cols());
    for (Index t = 0; t < triangles.cols(); ++t) {
        centres.col(t) =
            (corners.col(triangles(0, t)) + corners.col(triangles(1, t)) + corners.col(triangles(2, t))) /
            3.0;
    }
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    sort_by_place(centres, order.begin(), order.end());
    m_packs.resize(packs_for(count));
    m_made.assign(m_packs.size(), 0);
    for (std::size_t i = 0; i < width * m_packs.size(); ++i) {  // the last one again where there is room
        const int triangle = order[std::min(i, count - 1)];
        m_packs[i / width].triangle[i % width] = triangle;
    }
    BoxPack empty;
    for (std::size_t k = 0; k < 3; ++k) {
        empty.lower[k].fill(infinite);
        empty.upper[k].fill(-infinite);
    }
    for (std::size_t items = m_packs.size();;) {
        items = packs_for(items);
        m_levels.emplace_back(items, empty);
        m_loose.emplace_back().reserve(items);
        m_is_loose.emplace_back(items, 0);
        if (items == 1) break;
    }
    m_extent = corners.cwiseAbs().maxCoeff();
    double edges = 0.0;
    for (Index t = 0; t < triangles.cols(); ++t) {
        for (int k = 0; k < 3; ++k) {
            edges += (corners.col(triangles(k, t)) - corners.col(triangles((k + 1) % 3, t))).norm();
        }
    }
    m_margin = margin_ratio * edges / static_cast<double>(3 * triangles.cols());
    for (std::size_t leaf = 0; leaf < m_packs.size(); ++leaf) {
        make(
            static_cast<int>(leaf), [&](int corner) { return Vector3d(corners.col(corner)); },
            [&](int triangle) { return Eigen::Vector3i(triangles.col(triangle)); });
    }
    tighten();
}

void TriangleTree::loosen(double moved) noexcept
{
    tighten();
    ++m_state;
    m_path += moved;
    m_box = m_box.inflated(moved);
    for (auto& level : m_levels) {
        for (BoxPack& pack : level) {
            for (std::size_t k = 0; k < 3; ++k) {
                for (std::size_t lane = 0; lane < width; ++lane) {
                    pack.lower[k][lane] -= moved;
                    pack.upper[k][lane] += moved;
                }
            }
        }
    }
}

double TriangleTree::improve(int leaf, Search& search) const noexcept
{
    const TrianglePack& pack = m_packs[static_cast<std::size_t>(leaf)];
    const PackNearest found = nearest_of_pack(pack, search.point);
    Nearest& best = search.best;
    if (found.squared_distance <= best.squared_distance) {
        const int triangle = pack.triangle[static_cast<std::size_t>(found.lane)];
        if (found.squared_distance < best.squared_distance || triangle < best.triangle || best.triangle < 0) {
            best = {triangle, found.squared_distance};
            search.leaf = leaf;
        }
    }
    return found.squared_distance;
}

void TriangleTree::Search::keep(int which, double squared) noexcept
{
    if (margin == 0.0) return;
    int at = count;
    if (count == NearMemory::capacity) {
        at = count - 1;
        lost = std::min(lost, std::max(squared, kept[static_cast<std::size_t>(at)].first));
        if (!(squared < kept[static_cast<std::size_t>(at)].first)) return;
    } else {
        ++count;
    }
    for (; at > 0 && squared < kept[static_cast<std::size_t>(at - 1)].first; --at) {
        kept[static_cast<std::size_t>(at)] = kept[static_cast<std::size_t>(at - 1)];
    }
    kept[static_cast<std::size_t>(at)] = {squared, which};
}

void TriangleTree::Search::widen() noexcept
{
    // what round-off may hide is looked at too
    const double radius = margin > 0.0 ? std::sqrt(best.squared_distance) + margin : 0.0;
    limit = (1.0 + slack_ratio) * (margin > 0.0 ? radius * radius : best.squared_distance);
}

double TriangleTree::moved_since(const NearMemory& memory, const Vector3d& point) const noexcept
{
    const double moved = (point - memory.point).norm() + (m_path - memory.path);
    return moved + slack_ratio * (m_extent + m_path + point.cwiseAbs().maxCoeff() + memory.beyond);
}

void TriangleTree::prefer(int leaf, NearMemory& memory) noexcept
{
    for (std::size_t k = 1; k < static_cast<std::size_t>(memory.count); ++k) {
        if (memory.packs[k] != leaf) continue;
        std::swap(memory.packs[0], memory.packs[k]);
        std::swap(memory.distances[0], memory.distances[k]);
    }
}

void TriangleTree::remember(const Search& search, NearMemory& memory) const noexcept
{
    memory.point = search.point;
    memory.path = m_path;
    memory.count = search.count;
    for (std::size_t k = 0; k < static_cast<std::size_t>(search.count); ++k) {
        memory.distances[k] = std::sqrt(search.kept[k].first);
        memory.packs[k] = search.kept[k].second;
    }
    memory.beyond = std::min(std::sqrt(search.lost), std::sqrt(search.best.squared_distance) + search.margin);
    if (search.count > 0 || search.leaf < 0) return;
    memory.count = 1;  // where to begin
    memory.packs[0] = search.leaf;
    memory.distances[0] = memory.beyond = 0.0;
}

void TriangleTree::enclose(int leaf) noexcept
{
    const TrianglePack& pack = m_packs[static_cast<std::size_t>(leaf)];
    const auto above = static_cast<std::size_t>(leaf) / width, lane = static_cast<std::size_t>(leaf) % width;
    BoxPack& boxes = m_levels.front()[above];
    double largest = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
        double lower = infinite, upper = -infinite;
        for (std::size_t i = 0; i < width; ++i) {
            const double a = pack.corner[k][i], u = pack.first[k][i], v = pack.second[k][i];
            lower = std::min(lower, a + std::min(0.0, std::min(u, v)));
            upper = std::max(upper, a + std::max(0.0, std::max(u, v)));
        }
        boxes.lower[k][lane] = lower;
        boxes.upper[k][lane] = upper;
        largest = std::max({largest, -lower, upper});
    }
    for (std::size_t k = 0; k < 3; ++k) {
        boxes.lower[k][lane] -= slack_ratio * largest;
        boxes.upper[k][lane] += slack_ratio * largest;
    }
    m_tight = false;
    if (m_is_loose.front()[above] == 0) {
        m_is_loose.front()[above] = 1;
        m_loose.front().push_back(static_cast<int>(above));
    }
}

void TriangleTree::work_upwards() noexcept
{
    for (std::size_t level = 0; level + 1 < m_levels.size(); ++level) {
        for (const int number : m_loose[level]) {
            const auto here = static_cast<std::size_t>(number);
            const BoxPack& pack = m_levels[level][here];
            BoxPack& boxes = m_levels[level + 1][here / width];
            for (std::size_t k = 0; k < 3; ++k) {
                boxes.lower[k][here % width] = *std::min_element(pack.lower[k].begin(), pack.lower[k].end());
                boxes.upper[k][here % width] = *std::max_element(pack.upper[k].begin(), pack.upper[k].end());
            }
            m_is_loose[level][here] = 0;
            if (m_is_loose[level + 1][here / width] == 0) {
                m_is_loose[level + 1][here / width] = 1;
                m_loose[level + 1].push_back(number / pack_size);
            }
        }
        m_loose[level].clear();
    }
    m_is_loose.back().front() = 0;
    m_loose.back().clear();
    const BoxPack& top = m_levels.back().front();
    for (std::size_t k = 0; k < 3; ++k) {
        const auto axis = static_cast<Index>(k);
        m_box.lower[axis] = *std::min_element(top.lower[k].begin(), top.lower[k].end());
        m_box.upper[axis] = *std::max_element(top.upper[k].begin(), top.upper[k].end());
    }
    m_tight = true;
}

}  // namespace softcontact

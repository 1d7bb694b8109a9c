// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "softcontact/geometry/aabb_tree.hpp"
#include "softcontact/geometry/triangle_pack.hpp"

namespace softcontact {

/// What is kept of a question to make the next one for a point near by shorter; it changes no answer.
struct NearMemory {
    static constexpr int capacity = 8;
    Vector3d point = Vector3d::Zero();  ///< that was asked for
    double path = 0.0;                  ///< of the triangles then
    int count = 0;                      ///< packs, the nearest first
    std::array<int, capacity> packs;
    std::array<double, capacity> distances;  ///< to each [m]
    double beyond = 0.0;                     ///< no triangle of another pack was nearer [m]
};

/// Triangles that move, in packs below a tree of packed boxes. Where the corners are is asked only of packs
/// that a question comes to: all other boxes grow by what their corners may have moved since they were made,
/// so that they hold them all the same. What is found is the nearest triangle of all, whatever was asked
/// before. Nothing allocates after the construction.
class TriangleTree {
public:
    /// corners: (3, n) [m]; triangles: (3, m) of them, one or more.
    TriangleTree(const Eigen::Ref<const Points>& corners, const Eigen::Ref<const Triangles>& triangles);

    /// Corners have moved, none by more than so much [m].
    void loosen(double moved) noexcept;

    [[nodiscard]] double path() const { return m_path; }  ///< sum of those [m]
    /// Around all triangles, perhaps larger than it need be.
    [[nodiscard]] const Aabb& box() noexcept
    {
        tighten();
        return m_box;
    }

    struct Nearest {
        int triangle = -1;  ///< the lowest of equally near ones; -1: a position is not finite
        double squared_distance = std::numeric_limits<double>::infinity();  ///< [m²]
    };
    /// Triangle nearest to a finite point. position(corner) tells where a corner is now, corners(triangle)
    /// which ones a triangle has.
    template <typename Position, typename Corners>
    [[nodiscard]] Nearest nearest(const Vector3d& point, NearMemory& memory, const Position& position,
                                  const Corners& corners) noexcept
    {
        Search search{point, {}, 0.0, {}, infinite, -1};
        const auto visit = [&](int leaf) {
            if (m_made[static_cast<std::size_t>(leaf)] != m_state) make(leaf, position, corners);
            return improve(leaf, search);
        };
        double drift = infinite;
        if (memory.count > 0) {
            drift = moved_since(memory, point);
            visit(memory.packs[0]);
            for (int k = 1; k < memory.count; ++k) {
                const auto i = static_cast<std::size_t>(k);
                if (memory.distances[i] - drift <= std::sqrt(search.best.squared_distance)) {
                    visit(memory.packs[i]);
                }
            }
            if (memory.beyond - drift > std::sqrt(search.best.squared_distance)) {
                prefer(search.leaf, memory);
                return search.best;
            }
        }
        // who moves fast has no use for what lies around
        search.margin = drift < m_margin ? m_margin : 0.0;
        search.known = search.leaf;
        if (search.leaf >= 0) search.keep(search.leaf, search.best.squared_distance);
        search.widen();
        tighten();
        descend(static_cast<int>(m_levels.size()) - 1, 0, search, visit);
        remember(search, memory);
        return search.best;
    }

private:
    static constexpr auto width = static_cast<std::size_t>(pack_size);

    template <typename Position, typename Corners>
    void make(int leaf, const Position& position, const Corners& corners) noexcept
    {
        TrianglePack& pack = m_packs[static_cast<std::size_t>(leaf)];
        for (int lane = 0; lane < pack_size; ++lane) {
            const int triangle = pack.triangle[static_cast<std::size_t>(lane)];
            const auto abc = corners(triangle);
            pack.set(lane, triangle, position(abc[0]), position(abc[1]), position(abc[2]));
        }
        pack.complete();
        m_made[static_cast<std::size_t>(leaf)] = m_state;
        enclose(leaf);
    }

    /// A question on its way.
    struct Search {
        Vector3d point;
        Nearest best;
        double margin;  ///< how far beyond the nearest triangle packs are looked at too [m]
        std::array<std::pair<double, int>, NearMemory::capacity> kept;  ///< nearest packs, squared distances
        double lost;              ///< squared distance of the nearest pack that is not kept
        int leaf;                 ///< pack of the best
        int known = -1;           ///< pack that was looked at before the search
        int count = 0;            ///< of the kept
        double limit = infinite;  ///< squared distance up to which boxes are opened

        void keep(int leaf, double squared) noexcept;
        void widen() noexcept;
    };

    template <typename Visit>
    void descend(int level, int number, Search& search, const Visit& visit) noexcept
    {
        PackedNumbers gaps;
        squared_distances(m_levels[static_cast<std::size_t>(level)][static_cast<std::size_t>(number)],
                          search.point, gaps);
        std::array<int, width> open;
        int count = 0;
        for (int k = 0; k < pack_size; ++k) {
            open[static_cast<std::size_t>(count)] = k;
            count += gaps[static_cast<std::size_t>(k)] <= search.limit ? 1 : 0;
        }
        while (count > 0) {  // the nearest first
            int at = 0;
            const auto gap = [&](int i) {
                return gaps[static_cast<std::size_t>(open[static_cast<std::size_t>(i)])];
            };
            for (int i = 1; i < count; ++i) at = gap(i) < gap(at) ? i : at;
            if (!(gap(at) <= search.limit) || gap(at) == infinite) return;
            const int below = pack_size * number + open[static_cast<std::size_t>(at)];
            open[static_cast<std::size_t>(at)] = open[static_cast<std::size_t>(--count)];
            if (level > 0) {
                descend(level - 1, below, search, visit);
            } else if (below != search.known) {
                search.keep(below, visit(below));
                search.widen();
            }
        }
    }

    double improve(int leaf, Search& search) const noexcept;
    void enclose(int leaf) noexcept;
    void tighten() noexcept
    {
        if (!m_tight) work_upwards();
    }
    void work_upwards() noexcept;
    [[nodiscard]] double moved_since(const NearMemory& memory, const Vector3d& point) const noexcept;
    static void prefer(int leaf, NearMemory& memory) noexcept;
    void remember(const Search& search, NearMemory& memory) const noexcept;

    static constexpr double infinite = std::numeric_limits<double>::infinity();

    std::vector<TrianglePack> m_packs;
    std::vector<std::uint64_t> m_made;  ///< state in which a pack was made
    std::uint64_t m_state = 1;
    double m_path = 0.0;                         ///< sum of what corners may have moved [m]
    double m_margin = 0.0;                       ///< of what is remembered [m]
    double m_extent = 0.0;                       ///< scale of the coordinates, for round-off [m]
    std::vector<std::vector<BoxPack>> m_levels;  ///< the first around packs, the last has one
    std::vector<std::vector<int>> m_loose;       ///< packs of each level whose boxes were made anew
    std::vector<std::vector<char>> m_is_loose;
    Aabb m_box;
    bool m_tight = true;  ///< no box was made anew since the last work upwards
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
// Steps of a world allocate nothing, though contacts come and go, unless there are more than ever before.
#include <algorithm>
#include <array>
#include <cstdio>

#include "counted_allocations.hpp"
#include "grasp_world.hpp"

namespace {

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

/// The largest contact set so far: contacts, rows, pairs that touch, points that carry load.
struct Record {
    std::array<std::size_t, 4> most{};

    /// Whether the last step broke it in some way.
    bool broken_by(const softcontact::World& world)
    {
        const auto before = most;
        const std::size_t now[] = {static_cast<std::size_t>(world.statistics().contacts),
                                   static_cast<std::size_t>(world.statistics().rows), world.patches().size(),
                                   world.patch_points().size()};
        for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], now[i]);
        return most != before;
    }
};

bool run(softcontact::ContactModel contact, softcontact::Aggregation aggregation, const char* name)
{
    test::GraspWorld scene(contact, aggregation);
    softcontact::World& world = scene.world;
    bool good = check(test::allocations > 0, "allocations are counted");
    constexpr int warm_up = 4 * test::GraspWorld::period, counted = 4 * test::GraspWorld::period;
    Record record;
    bool went = true;
    for (int step = 0; step < warm_up; ++step) {
        went = went && world.step();
        record.broken_by(world);
    }
    int fewest = 1 << 20, most = 0, patches = 0, records = 0, allocating = 0;
    for (int step = 0; step < counted; ++step) {
        test::allocations = 0;
        went = went && world.step();
        const long counted_here = test::allocations;
        if (record.broken_by(world)) {
            ++records;
        } else if (counted_here > 0) {
            ++allocating;
            std::printf("  step %d: %ld allocations, %d contacts\n", warm_up + step, counted_here,
                        world.statistics().contacts);
        }
        fewest = std::min(fewest, world.statistics().rows);
        most = std::max(most, world.statistics().rows);
        patches = std::max(patches, world.statistics().patches);
    }
    std::printf("%s: rows %d to %d, up to %d patches; of %d steps %d broke a record, %d others allocated\n",
                name, fewest, most, patches, counted, records, allocating);
    good &= check(went, world.failure().c_str());
    good &= check(fewest < most && patches >= 4, "contacts come and go: ball, cube, table and fingers");
    good &= check(records <= counted / 20, "the largest contact set was seen before");
    good &= check(allocating == 0, "no allocation where contacts were no more than ever before");
    return good;
}

}  // namespace

int main()
{
    using softcontact::Aggregation, softcontact::ContactModel;
    const bool aggregate = run(ContactModel::aggregate, Aggregation::single, "aggregate");
    const bool adaptive = run(ContactModel::aggregate, Aggregation::adaptive, "adaptive");
    const bool point = run(ContactModel::point, Aggregation::single, "point");
    return aggregate && adaptive && point ? 0 : 1;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Pairs of neighbours: known while they are near and for a while, then forgotten; met again they obey the law
// that was set for them, and those that stayed keep what they remember under their new numbers.
#undef NDEBUG
#include <cassert>
#include <cstdio>

#include "softcontact/world/near_pairs.hpp"

using namespace softcontact;

namespace {

constexpr auto model = ContactModel::aggregate;

Surface triangle()
{
    Points vertices(3, 3);
    vertices << 0, 1, 0, 0, 0, 1, 0, 0, 0;
    Triangles triangles(3, 1);
    triangles << 0, 1, 2;
    return {vertices, triangles};
}

/// Five surfaces in a row along x, the first kinematic: each near its neighbours.
struct Row {
    std::vector<ContactSurface> surfaces;
    std::vector<ContactPair> pairs;
    PairLaws laws;
    NearPairs near;

    Row()
    {
        for (int i = 0; i < 5; ++i) {
            const auto kind = i == 0 ? ContactSurface::Kind::kinematic : ContactSurface::Kind::link;
            surfaces.emplace_back("s" + std::to_string(i), kind, triangle());
            surfaces.back().friction = 0.5;
            near.boxes().emplace_back();
            place(i, i);
        }
    }
    void place(int surface, double x)
    {
        near.boxes()[static_cast<std::size_t>(surface)] = {Vector3d(x, 0, 0), Vector3d(x + 0.9, 1, 1)};
    }
    std::vector<std::size_t> find()
    {
        const auto found = near.find(surfaces, 0.2, laws, model, pairs);
        for (const std::size_t i : found) assert(i < pairs.size());
        return found;
    }
    /// Steps until pairs are forgotten, or so many.
    int steps_until_forgotten(int most)
    {
        for (int k = 1; k <= most; ++k) {
            find();
            if (!near.forget_far(pairs).empty()) return k;
        }
        return -1;
    }
};

void only_neighbours_are_known()
{
    Row row;
    assert(row.find().size() == 4 && row.pairs.size() == 4);
    assert(row.steps_until_forgotten(200) == -1 && row.pairs.size() == 4);
    row.surfaces[1].kind = ContactSurface::Kind::kinematic;  // two that are moved by hand never touch
    row.near.clear();
    row.pairs.clear();
    assert(row.find().size() == 3);
}

void what_parted_is_forgotten_and_the_others_keep_their_memory()
{
    Row row;
    row.find();
    for (ContactPair& pair : row.pairs) {
        pair.memory.normal_force = 10.0 * std::min(pair.a, pair.b) + std::max(pair.a, pair.b);
    }
    row.place(1, 100.0);  // the first two pairs part
    const int steps = row.steps_until_forgotten(200);
    assert(steps > 10 && steps < 100);  // not at once: what bounces comes back
    assert(row.pairs.size() == 2);
    const auto found = row.find();
    assert(found.size() == 2);
    for (const std::size_t i : found) {
        const ContactPair& pair = row.pairs[i];
        assert(pair.memory.normal_force == 10.0 * std::min(pair.a, pair.b) + std::max(pair.a, pair.b));
    }
}

void who_meets_again_obeys_the_law_of_the_pair()
{
    Row row;
    row.laws.set_friction(2, 1, 0.125);
    row.laws.set_restitution(1, 2, 0.75);
    row.laws.disable(3, 2);
    const auto look = [&] {
        bool met = false;
        for (const std::size_t i : row.find()) {
            const auto [a, b] = std::minmax(row.pairs[i].a, row.pairs[i].b);
            assert(!(a == 2 && b == 3));
            met = met || (a == 1 && b == 2);
            assert(row.pairs[i].friction == (a == 1 && b == 2 ? 0.125 : 0.5));
            assert(row.pairs[i].restitution == (a == 1 && b == 2 ? 0.75 : 0.0));
        }
        return met;
    };
    assert(look());
    row.place(1, 100.0);
    assert(row.steps_until_forgotten(200) > 0);
    assert(!look());
    row.place(1, 1.0);
    assert(look());
}

}  // namespace

int main()
{
    only_neighbours_are_known();
    what_parted_is_forgotten_and_the_others_keep_their_memory();
    who_meets_again_obeys_the_law_of_the_pair();
    std::puts("ok");
    return 0;
}

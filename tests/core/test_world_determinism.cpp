// SPDX-License-Identifier: LGPL-2.1-or-later
// Worlds built alike take the same steps to the last bit, wherever their memory lies and whatever was in it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "grasp_world.hpp"

namespace {

using softcontact::ContactModel;

constexpr int steps = 300;

/// The states of all steps in a row, and how many steps had contact between the fingers and the ball.
std::vector<double> run(ContactModel contact, bool watched)
{
    auto scene = std::make_unique<test::GraspWorld>(contact);
    std::vector<double> states;
    for (int step = 0; step < steps; ++step) {
        if (!scene->world.step()) {
            std::fprintf(stderr, "failed: %s\n", scene->world.failure().c_str());
            return {};
        }
        if (watched) {  // looking must not change anything
            (void)scene->world.kinetic_energy();
            (void)scene->world.elastic_energy();
            (void)scene->world.potential_energy();
        }
        const auto state = scene->world.state();
        states.insert(states.end(), state.begin(), state.end());
    }
    return states;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b)
{
    return !a.empty() && a.size() == b.size() &&
           std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

bool compare(ContactModel contact)
{
    const std::vector<double> first = run(contact, false);
    // Blocks of all sizes filled with rubbish, every other one given back: the next world's memory is
    // elsewhere, out of order and not zero.
    std::vector<void*> held, given_back;
    for (std::size_t i = 0; i < 20000; ++i) {
        const std::size_t size = 16 + (i * 7919) % 4096;
        void* block = std::malloc(size);
        std::memset(block, 0x3f, size);  // 4.8e-4 as a double
        (i % 2 == 0 ? held : given_back).push_back(block);
    }
    for (void* block : given_back) std::free(block);
    const std::vector<double> second = run(contact, false);
    for (void* block : held) std::free(block);
    const std::vector<double> watched = run(contact, true);
    bool good = check(!first.empty() && first.front() != first[first.size() / 2], "the bodies move");
    good &= check(same_bits(first, second), "same bits from other memory");
    good &= check(same_bits(first, watched), "same bits when energies are asked for");
    return good;
}

}  // namespace

int main()
{
    const bool aggregate = compare(ContactModel::aggregate);
    const bool point = compare(ContactModel::point);
    return aggregate && point ? 0 : 1;
}

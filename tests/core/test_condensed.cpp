// SPDX-License-Identifier: LGPL-2.1-or-later
// The haptic loop allocates nothing in a tick, whatever the solver, and takes models from another thread.
#undef NDEBUG
#include <cassert>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "counted_allocations.hpp"
#include "softcontact/condensed/haptic_loop.hpp"

using namespace softcontact;

namespace {

constexpr int contacts = 9;

/// Pairs that a rigid plate presses onto coupled springs.
CondensedModel springs(double compliance)
{
    CondensedModel model;
    model.compliance = RowMajorMatrix::Zero(3 * contacts, 3 * contacts);
    for (int i = 0; i < contacts; ++i) {
        for (int j = 0; j < contacts; ++j) {
            model.compliance.block<3, 3>(3 * i, 3 * j) =
                Matrix3d::Identity() * (i == j ? compliance : 0.2 * compliance / (1 + std::abs(i - j)));
        }
    }
    model.drive = MatrixXd::Zero(3 * contacts, 3);
    model.offset = VectorXd::Zero(3 * contacts);
    for (int i = 0; i < contacts; ++i) {
        model.drive.middleRows<3>(3 * i).setIdentity();
    }
    return model;
}

void ticks_do_not_allocate(CondensedScheme scheme)
{
    CondensedContact contact(springs(1e-4), VectorXd::Constant(contacts, 0.3), Matrix3d::Identity(),
                             {.scheme = scheme, .tolerance = 1e-9, .budget_s = 1e-3, .blend_ticks = 5});
    const std::vector<double> times{0.0, 0.1, 0.3};
    Eigen::Matrix3Xd path(3, 3);
    path.col(0) << 0.0, 0.0, 0.0;
    path.col(1) << -1e-3, 0.0, 0.0;
    path.col(2) << -1e-3, 3e-3, 1e-3;
    HapticLoop loop(contact, {}, times, path, 1e-3, 300);
    for (int k = 0; k < 10; ++k) {
        assert(loop.tick());
    }
    contact.publish(springs(2e-4));
    const long before = test::allocations;
    while (loop.tick()) {
    }
    assert(test::allocations == before);
    assert(loop.done() == 300);
    assert(loop.log().force(0, 299) > 0.0);
    assert(loop.log().touching[299] == contacts);
}

void models_cross_threads()
{
    // Without friction the force is what W alone says: with the last model published, whatever came between.
    CondensedContact contact(springs(1e-4), VectorXd::Zero(contacts), Matrix3d::Identity(),
                             {.tolerance = 1e-12, .blend_ticks = 3});
    const Vector3d pressed(-1e-3, 0.0, 0.0);
    std::thread writer([&contact] {
        for (int k = 1; k <= 2000; ++k) {
            contact.publish(springs(1e-4 * (1.0 + k / 2000.0)));
        }
    });
    double last = 0.0;
    for (int k = 0; k < 2000; ++k) {
        last = contact.tick(pressed).force.x();
        assert(last > 0.0);
    }
    writer.join();
    for (int k = 0; k < 6; ++k) {  // the last model, blended in
        last = contact.tick(pressed).force.x();
    }
    CondensedContact fresh(springs(2e-4), VectorXd::Zero(contacts), Matrix3d::Identity(),
                           {.tolerance = 1e-12});
    const double wanted = fresh.tick(pressed).force.x();
    assert(std::abs(last - wanted) < 1e-6 * wanted);
}

void wrong_models_are_refused()
{
    const auto refused = [](const CondensedModel& model, const VectorXd& mu) {
        try {
            const CondensedContact contact(model, mu, Matrix3d::Identity(), {});
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    const VectorXd mu = VectorXd::Constant(contacts, 0.3);
    CondensedModel model = springs(1e-4);
    assert(!refused(model, mu));
    assert(refused(model, VectorXd::Constant(contacts, -0.1)));
    assert(refused(model, VectorXd::Constant(contacts + 1, 0.1)));
    model.compliance(3, 4) = std::nan("");
    assert(refused(model, mu));
    model = springs(0.0);
    assert(refused(model, mu));
}

}  // namespace

int main()
{
    ticks_do_not_allocate(CondensedScheme::block_gauss_seidel);
    ticks_do_not_allocate(CondensedScheme::local_uzawa);
    ticks_do_not_allocate(CondensedScheme::global_uzawa);
    models_cross_threads();
    wrong_models_are_refused();
    std::puts("ok");
    return 0;
}

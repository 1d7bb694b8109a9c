// SPDX-License-Identifier: LGPL-2.1-or-later
// Steps of a tetrahedral body, inverted elements and refactorisation included, allocate nothing.
#include <cstdio>

#include "counted_allocations.hpp"
#include "softcontact/bodies/tetrahedral.hpp"

namespace {

using namespace softcontact;

/// A bar of `cells` cubes of 1 cm, six tetrahedra each.
CorotationalModel make_bar(int cells)
{
    Points nodes(3, 4 * (cells + 1));
    for (int i = 0; i <= cells; ++i) {
        for (int k = 0; k < 4; ++k) nodes.col(4 * i + k) = 0.01 * Vector3d(i, k / 2, k % 2);
    }
    const int step[3] = {4, 2, 1};
    const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    Tetrahedra tetrahedra(4, 6 * cells);
    for (int i = 0; i < cells; ++i) {
        for (int o = 0; o < 6; ++o) {
            int node = 4 * i;
            tetrahedra(0, 6 * i + o) = node;
            for (int k = 0; k < 3; ++k) tetrahedra(k + 1, 6 * i + o) = node += step[orders[o][k]];
        }
    }
    return {nodes, tetrahedra, {Material{1e5, 0.4, 1000.0}}};
}

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

struct Figures {
    bool went = true;
    int inverted = 0;
    double energy = 0.0;
};

void advance(TetrahedralDynamics& body, int steps, bool midpoint, Figures& figures)
{
    static const VectorXd no_force;
    static const VectorXd still = VectorXd::Zero(body.dof_count());
    static const MatrixXd loads = MatrixXd::Random(body.dof_count(), 7);
    static MatrixXd columns = loads;
    static VectorXd change = still;
    for (int step = 0; step < steps; ++step) {
        const double h = step % 20 == 0 ? 0.002 : 0.004;
        figures.went = figures.went && body.begin_step(h, Vector3d(0.0, 0.0, -9.81), no_force);
        figures.inverted += body.inverted_count();
        columns = loads;
        body.solve(columns);
        change = 1e-6 * columns.col(0);
        const bool touched = !midpoint || step % 3 == 0;
        figures.went = figures.went && body.finish(touched ? change : still, touched);
        body.apply_position_correction(still);
        figures.energy += body.kinetic_energy() + body.elastic_energy() + body.momentum().norm() +
                          body.angular_momentum().norm() + body.center_of_mass().norm();
    }
}

bool check_body(bool free, Integrator integrator)
{
    TetrahedralOptions options;
    options.refactor_rotation_tolerance = 0.02;
    options.integrator = integrator;
    if (!free) {
        options.fixed_nodes = {0, 1};
        options.anchored_nodes = {2, 3};
        options.anchor_stiffness = VectorXd::Constant(2, 100.0);
    }
    const bool midpoint = integrator == Integrator::midpoint;
    TetrahedralDynamics body(make_bar(40), options);
    Points start = body.positions();
    start.col(90) += Vector3d(0.03, 0.0, 0.0);  // through its neighbours
    Figures figures;
    advance(body, 1, midpoint, figures);
    body.set_state(start, VectorXd::Zero(body.dof_count()));
    test::allocations = 0;
    advance(body, 60, midpoint, figures);
    const long counted = test::allocations;
    std::printf("%s body, midpoint %d: allocations %ld, factorisations %ld, inverted %d, energies %g\n",
                free ? "free" : "held", midpoint, counted, body.factorization_count(), figures.inverted,
                figures.energy);
    bool good = check(figures.went, "every step was taken");
    good &= check(figures.inverted > 0, "elements were inverted on the way");
    good &= check(body.factorization_count() > 3, "factorisations are made");
    good &= check(midpoint || body.factorization_count() < 60, "some factorisations are reused");
    good &= check(counted == 0, "no allocation in 60 steps");
    return good;
}

}  // namespace

int main()
{
    VectorXd::Zero(3).eval();
    bool good = check(test::allocations > 0, "allocations are counted");
    for (const bool free : {false, true}) {
        for (const Integrator integrator : {Integrator::implicit_euler, Integrator::midpoint}) {
            good &= check_body(free, integrator);
        }
    }
    return good ? 0 : 1;
}

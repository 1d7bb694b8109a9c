// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cmath>

namespace softcontact {

/// When proximal points end.
struct ProximalOptions {
    double tolerance = 1e-9;  ///< of the problem's own measure
    double accepted = 0.0;    ///< enough where a point brings no more
    int max_steps = 300;      ///< Newton steps, all together
    double first = 1e-2;      ///< ε of the first point
};

/// Newton steps with a line search, for one proximal point.
struct ProximalDescent {
    int steps = 0;
    bool solved = false;
};

/// Proximal points of a contact problem u = W λ + q, each by a semismooth Newton method.
///
/// A proximal point is the solution of the problem with compliance ε R added that is free of load at the last
/// one, λ_k: its laws hold for the velocities W λ + q + ε R (λ - λ_k). It is better posed than the problem
/// itself, whose forces need not be unique; as the points come to rest the added part vanishes. ε falls as
/// long as that goes well. The forces found are near those of the start, where others would do as well.
///
/// Problem gives, in its own coordinates,
///     double centre(ε)      aims at the next point and returns the merit, how far its equations are from
///     holding double floor()        merit that is round-off bool find_step()      the Newton step; false
///     where there is none double try_step(t)    merit after a share of it void take_step()      accepts the
///     last one tried double offer(solved)  measure of the loads reached, which are the next centre where
///     solved double unit()         of the merit against the measure bool go_on()          counts a step;
///     false ends everything
/// The line search is monotone on the merit: laxer ones run in circles.
/// Sources: Rockafellar 1976 (proximal points); Qi and Sun 1993 (semismooth Newton).
template <typename Problem>
ProximalDescent descend(Problem& problem, double merit, double target, int most)
{
    constexpr double least_share = 1e-5, enough = 1e-4, near_floor = 100.0;
    ProximalDescent result;
    for (; result.steps < most; ++result.steps) {
        if (merit <= std::max(target, problem.floor())) {
            result.solved = true;
            return result;
        }
        if (!problem.go_on() || !problem.find_step()) {
            return result;
        }
        double share = 1.0, next = problem.try_step(share);
        while (!(next <= (1.0 - enough * share) * merit)) {
            share *= 0.5;
            if (share < least_share) {
                result.solved = merit <= near_floor * problem.floor();
                ++result.steps;
                return result;
            }
            next = problem.try_step(share);
        }
        problem.take_step();
        merit = next;
    }
    result.solved = merit <= std::max(target, near_floor * problem.floor());
    return result;
}

/// Returns whether the problem's measure, `start` where it begins, came to the tolerance, or to what is
/// accepted.
template <typename Problem>
bool follow_proximal_points(Problem& problem, double start, const ProximalOptions& options)
{
    constexpr double least = 1e-12, most = 1e4;  // ε
    constexpr double share = 1e-2;               // of the violation, that a point is solved to
    constexpr double fastest = 0.1, growth = 10.0;
    constexpr int most_steps = 25, easy = 2, hard = 8;  // Newton steps of a point
    double strength = options.first, fall = fastest, measure = start;
    int steps = 0;
    while (!(measure <= options.tolerance) && strength <= most && steps < options.max_steps) {
        const double merit = problem.centre(strength);
        const ProximalDescent descent = descend(problem, merit, share * measure * problem.unit(),
                                                std::min(most_steps, options.max_steps - steps));
        steps += std::max(1, descent.steps);  // points that need none do not go on for ever
        const double reached = problem.offer(descent.solved);
        if (reached <= options.tolerance || (measure <= options.accepted && !(reached <= 0.5 * measure))) {
            return true;
        }
        if (descent.solved) {
            measure = reached;
            strength *= descent.steps <= easy ? fall * fall : descent.steps <= hard ? fall : std::sqrt(fall);
            strength = std::max(least, strength);
            fall = std::max(fastest, std::pow(fall, 1.5));
        } else {
            strength *= growth;
            fall = std::pow(fall, 0.4);
        }
        if (!problem.go_on()) {
            break;
        }
    }
    return measure <= options.tolerance;
}

}  // namespace softcontact

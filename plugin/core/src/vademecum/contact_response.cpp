// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/contact_response.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "softcontact/vademecum/eliminate.hpp"

namespace softcontact {

namespace {

constexpr int many_changes = 4;   // of the set of points that touch, in a linearised step; then one at a time
constexpr int most_changes = 24;  // before a step goes with the set it has
constexpr double least_share = 1.0 / 16.0;  // of a step, where steps do not shrink
constexpr double least_gain = 0.3;          // of what a step should take off the next one
constexpr double least_size = 1e-6;         // of the largest load: what is less may be anything
constexpr double way_share = 0.15;  // of a body's smallest extent: what it may move in a step, which knows
                                    // only of the contacts near by and might lead through the other body

}  // namespace

void ResponseSettings::validate() const
{
    if (capacity < 1) throw std::invalid_argument("capacity: expected room for one load or more");
    if (max_iterations < 1) throw std::invalid_argument("max_iterations: expected one step or more");
    if (!(std::isfinite(tolerance) && tolerance > 0.0)) {
        throw std::invalid_argument("tolerance: expected a finite number > 0");
    }
}

ContactResponse::ContactResponse(const YieldingBody& body, const PenaltySettings& penalty, Index points,
                                 const ResponseSettings& settings)
    : m_settings(settings)
{
    settings.validate();
    m_settings.capacity = std::max(settings.capacity, body.families.axis_count());
    add_body(body);
    add_shell(body, *m_bodies[0], nullptr, points, penalty);
    reserve();
}

ContactResponse::ContactResponse(const YieldingBody& first, const YieldingBody& second,
                                 const PenaltySettings& penalty, const ResponseSettings& settings)
    : m_settings(settings)
{
    settings.validate();
    m_settings.capacity =
        std::max({settings.capacity, first.families.axis_count(), second.families.axis_count()});
    add_body(first);
    add_body(second);
    if (second.shell.count() < 1) throw std::invalid_argument("shell: expected one on the second body");
    add_shell(first, *m_bodies[0], m_bodies[1].get(), second.shell.count(), penalty);
    if (first.shell.count() > 0) {
        add_shell(second, *m_bodies[1], m_bodies[0].get(), first.shell.count(), penalty);
    }
    reserve();
}

void ContactResponse::add_body(const YieldingBody& body)
{
    m_bodies.push_back(std::make_unique<ContactBody>(body.field, body.nodes, body.families, body.shell,
                                                     m_settings.capacity));
    const double way = way_share * m_bodies.back()->smallest_extent();
    m_most_way = m_bodies.size() == 1 ? way : std::min(way, m_most_way);
}

void ContactResponse::add_shell(const YieldingBody& into, ContactBody& body, ContactBody* of, Index points,
                                const PenaltySettings& penalty)
{
    Shell shell;
    shell.into = &body;
    shell.of = of;
    shell.contact = std::make_unique<PenaltyContact>(
        DeformedBoundary(into.nodes, into.triangles, body.loaded()), penalty, points);
    shell.points.setZero(3, points);
    m_shells.push_back(std::move(shell));
}

void ContactResponse::reserve()
{
    Index loads = 0, points = 0;
    for (const auto& body : m_bodies) loads += body->capacity();
    for (const Shell& shell : m_shells) points += shell.points.cols();
    m_matrix.setZero(loads, loads);
    m_rows.setZero(3 * points, loads);
    m_branch.assign(static_cast<std::size_t>(points), ContactBranch{});
    m_change.setZero(loads);
}

template <typename Visit>
void ContactResponse::for_each_candidate(const Visit& visit) const noexcept
{
    std::size_t row = 0;
    for (const Shell& shell : m_shells) {
        for (std::size_t c = 0; c < shell.candidate_count(); ++c) visit(shell, shell.candidate(c), row++);
    }
}

bool ContactResponse::hold(std::span<const Index> cases, std::span<const double> sizes, Index body) noexcept
{
    return body >= 0 && body < body_count() && m_bodies[static_cast<std::size_t>(body)]->hold(cases, sizes);
}

void ContactResponse::release() noexcept
{
    for (const auto& body : m_bodies) body->release();
    for (const Shell& shell : m_shells) shell.contact->release();
}

ResponseStatus ContactResponse::solve(const Eigen::Ref<const Points>& points) noexcept
{
    Shell& shell = m_shells.front();
    if (shell.of != nullptr || points.cols() != shell.points.cols()) return {};
    shell.points = points;
    return solve();
}

ResponseStatus ContactResponse::solve(const RigidPose& second) noexcept
{
    if (body_count() != 2) return {};
    const Matrix3d turn = second.orientation.toRotationMatrix();
    m_shells[0].turn = turn;
    m_shells[0].shift = second.position;
    if (shell_count() == 2) {
        m_shells[1].turn = turn.transpose();
        m_shells[1].shift = -(turn.transpose() * second.position);
    }
    return solve();
}

ResponseStatus ContactResponse::solve() noexcept
{
    ResponseStatus& out = m_status = {};
    m_reach = 2.0 * m_deepest;
    look();
    if (m_deepest > m_reach) {  // what a step may open or close is as far away as what is inside is deep
        m_reach = 2.0 * m_deepest;
        look();
    }
    double before = std::numeric_limits<double>::infinity(), share = 1.0, taken = 1.0;
    while (out.iterations < m_settings.max_iterations && !out.converged) {
        differentiate();
        if (!linear_step()) break;
        ++out.iterations;
        auto change = m_change.head(load_count());
        const double length = change.norm();
        // sets of sticking and sliding points may follow each other in a circle: shorter steps leave it
        const bool shrinks = length <= (1.0 - least_gain * taken) * before;
        share = shrinks ? std::min(1.0, 2.0 * share) : std::max(least_share, 0.5 * share);
        before = length;
        const double way = longest_way();
        taken = way * share > m_most_way ? m_most_way / way : share;
        change *= taken;
        m_reach = 2.0 * std::min(m_deepest, way);  // the next step is hardly longer
        double old = 0.0, now = 0.0;
        for (const auto& body : m_bodies) {
            const auto own = change.segment(first(*body), body->load_count());
            for (Index i = 0; i < own.size(); ++i) old += body->size(i) * body->size(i);
            body->step(own);
            for (Index i = 0; i < own.size(); ++i) now += body->size(i) * body->size(i);
        }
        out.residual = length / std::max(std::sqrt(std::max(old, now)), least_size);
        out.converged = out.residual <= m_settings.tolerance;
        look();
    }
    for (const Shell& shell : m_shells) {
        shell.contact->commit();
        out.contacts += static_cast<Index>(shell.contact->contacts().size());
    }
    out.loads = load_count();
    return out;
}

Wrench ContactResponse::wrench(const Vector3d& centre) const noexcept
{
    Wrench out = m_shells.front().contact->wrench(centre);
    if (shell_count() == 2) {  // on the first body, in the second one's axes
        const Shell& back = m_shells[1];
        const Wrench other = back.contact->wrench(back.turn * centre + back.shift);
        out.force -= back.turn.transpose() * other.force;
        out.torque -= back.turn.transpose() * other.torque;
    }
    return out;
}

Index ContactResponse::load_count() const
{
    Index count = 0;
    for (const auto& body : m_bodies) count += body->load_count();
    return count;
}

void ContactResponse::look() noexcept
{
    for (const auto& body : m_bodies) body->predict();
    for (Shell& shell : m_shells) {
        if (shell.of != nullptr) shell.of->place_shell(shell.turn, shell.shift, shell.points);
        const auto began = std::chrono::steady_clock::now();
        shell.contact->evaluate(shell.points, nullptr, m_reach);
        m_status.detection += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        ++m_status.detections;
    }
    m_deepest = 0.0;
    for (const auto& body : m_bodies) body->begin();
    for_each_candidate([&](const Shell& shell, const PenaltyPoint& contact, std::size_t) {
        m_deepest = std::max(m_deepest, contact.depth);
        const auto& triangles = shell.contact->boundary().topology().triangles;
        shell.into->want(triangles.col(contact.place.triangle), contact.place.shares, -contact.force);
        if (shell.of == nullptr) return;
        const MaterialPoints& points = shell.of->shell();
        shell.of->want(points.nodes.col(contact.number), points.shares.col(contact.number),
                       shell.turn.transpose() * contact.force);
    });
    for (const auto& body : m_bodies) body->settle();
}

void ContactResponse::differentiate() noexcept
{
    for (const auto& body : m_bodies) body->differentiate();
    const Index count = load_count();
    for_each_candidate([&](const Shell& shell, const PenaltyPoint& contact, std::size_t row) {
        auto rows = m_rows.block(3 * static_cast<Index>(row), 0, 3, count);
        rows.setZero();
        const auto& triangles = shell.contact->boundary().topology().triangles;
        ContactBody& into = *shell.into;
        into.add_moves(triangles.col(contact.place.triangle), contact.place.shares, Matrix3d::Identity(),
                       rows.middleCols(first(into), into.load_count()));
        if (shell.of == nullptr) return;
        ContactBody& of = *shell.of;
        of.add_moves(of.shell().nodes.col(contact.number), of.shell().shares.col(contact.number), -shell.turn,
                     rows.middleCols(first(of), of.load_count()));
    });
}

bool ContactResponse::linear_step() noexcept
{
    const Index count = load_count();
    auto change = m_change.head(count);
    for_each_candidate([&](const Shell& shell, const PenaltyPoint& contact, std::size_t row) {
        m_branch[row] = ContactBranch::at(shell.contact->settings(), contact, Vector3d::Zero(), {});
    });
    for (int changes = 0;; ++changes) {
        m_matrix.topLeftCorner(count, count).setIdentity();
        for (const auto& body : m_bodies) {
            for (Index i = 0; i < body->load_count(); ++i) change[first(*body) + i] = -body->size(i);
        }
        for_each_candidate([&](const Shell& shell, const PenaltyPoint& contact, std::size_t row) {
            if (m_branch[row].touch != ContactBranch::Touch::apart) add_contact(shell, contact, row);
        });
        if (!eliminate(m_matrix.topLeftCorner(count, count), change)) return false;
        std::size_t worst = 0;
        ContactBranch better;  // of the worst
        for_each_candidate([&](const Shell& shell, const PenaltyPoint& contact, std::size_t row) {
            const Vector3d way = m_rows.block(3 * static_cast<Index>(row), 0, 3, count).lazyProduct(change);
            const auto then = ContactBranch::at(shell.contact->settings(), contact, way, m_branch[row]);
            if (then.touch == m_branch[row].touch) return;
            if (!(then.wrong <= better.wrong)) {
                better = then;
                worst = row;
            }
            if (changes < many_changes) m_branch[row] = then;
        });
        if (better.wrong == 0.0 || changes == most_changes) return true;
        m_branch[worst] = better;
    }
}

void ContactResponse::add_contact(const Shell& shell, const PenaltyPoint& contact, std::size_t row) noexcept
{
    const BranchForce law(shell.contact->settings(), contact, m_branch[row]);
    const auto& triangles = shell.contact->boundary().topology().triangles;
    add_force(*shell.into, triangles.col(contact.place.triangle), contact.place.shares, -Matrix3d::Identity(),
              law.force, law.stiffness, row);
    if (shell.of == nullptr) return;
    const MaterialPoints& points = shell.of->shell();
    add_force(*shell.of, points.nodes.col(contact.number), points.shares.col(contact.number),
              shell.turn.transpose(), law.force, law.stiffness, row);
}

/// `turn`: what the force on the shell is in the body's axes, as it acts on it.
void ContactResponse::add_force(const ContactBody& body, const Eigen::Ref<const Eigen::Vector3i>& nodes,
                                const Vector3d& shares, const Matrix3d& turn, const Vector3d& force,
                                const Matrix3d& stiffness, std::size_t row) noexcept
{
    const Index count = load_count(), start = first(body);
    const auto rows = m_rows.block(3 * static_cast<Index>(row), 0, 3, count);
    for (int k = 0; k < 3; ++k) {
        if (shares[k] == 0.0) continue;
        for (Index axis = 0; axis < body.axis_count(); ++axis) {
            const Index slot = body.slot(nodes[k], axis);
            if (slot < 0) continue;
            const Vector3d part =
                shares[k] * (turn.transpose() * body.families().inverse().row(axis).transpose());
            const Vector3d stiff = stiffness.transpose() * part;
            m_change[start + slot] += part.dot(force);
            for (Index i = 0; i < count; ++i) m_matrix(start + slot, i) -= stiff.dot(rows.col(i));
        }
    }
}

double ContactResponse::longest_way() noexcept
{
    double way = 0.0;
    for (const auto& body : m_bodies) {
        way += body->way(m_change.segment(first(*body), body->load_count()));
    }
    return way;
}

}  // namespace softcontact

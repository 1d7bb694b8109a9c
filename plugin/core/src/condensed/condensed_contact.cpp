// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/condensed/condensed_contact.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "softcontact/solver/uzawa.hpp"

namespace softcontact {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int max_inner_steps = 1000;  // of local Uzawa, per contact and sweep
constexpr double inner_share = 0.1;    // of the tolerance, that local Uzawa's inner loop solves to

double seconds_since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

void expect(bool held, const std::string& message)
{
    if (!held) {
        throw std::invalid_argument(message);
    }
}

}  // namespace

void CondensedContact::check(const CondensedModel& model) const
{
    const Index rows = 3 * m_mu.size();
    expect(model.compliance.rows() == rows && model.compliance.cols() == rows,
           "compliance: " + std::to_string(model.compliance.rows()) + " x " +
               std::to_string(model.compliance.cols()) + ", expected " + std::to_string(rows) +
               " squared, three a contact");
    expect(model.drive.rows() == rows && model.drive.cols() == 3,
           "drive: expected " + std::to_string(rows) + " x 3");
    expect(model.offset.size() == rows, "offset: expected " + std::to_string(rows) + " numbers");
    expect(model.compliance.allFinite(), "compliance: holds a number that is not finite");
    expect(model.drive.allFinite(), "drive: holds a number that is not finite");
    expect(model.offset.allFinite(), "offset: holds a number that is not finite");
    for (Index i = 0; i < rows; ++i) {
        expect(model.compliance(i, i) > 0.0, "compliance: diagonal entry " + std::to_string(i) +
                                                 " is not positive; every contact needs some give");
    }
}

CondensedContact::CondensedContact(const CondensedModel& model, const VectorXd& mu, const Matrix3d& frame,
                                   const CondensedSettings& settings)
    : m_settings(settings), m_frame(frame), m_mu(mu), m_incoming(model), m_model(model), m_from(model)
{
    expect(mu.size() > 0, "mu: no contacts; give one coefficient a contact");
    expect(mu.allFinite() && mu.minCoeff() >= 0.0, "mu: expected finite coefficients >= 0");
    expect((frame.transpose() * frame - Matrix3d::Identity()).norm() < 1e-9,
           "frame: expected orthonormal columns n, t, s");
    expect(settings.tolerance > 0.0 && std::isfinite(settings.tolerance),
           "tolerance: expected a finite length > 0");
    expect(settings.max_sweeps >= 1, "max_sweeps: expected at least 1");
    expect(settings.budget_s >= 0.0, "budget: expected a time >= 0 (0: none)");
    expect(settings.rho >= 0.0 && std::isfinite(settings.rho), "rho: expected a finite stiffness >= 0");
    expect(settings.blend_ticks >= 1, "blend_ticks: expected at least 1");
    check(model);
    const int contacts = static_cast<int>(mu.size());
    m_blocks.resize(static_cast<std::size_t>(contacts));
    for (int i = 0; i < contacts; ++i) {
        m_blocks[static_cast<std::size_t>(i)] = {.offset = 3 * i, .rows = 3, .mu = mu[i]};
    }
    m_solver.reserve(3 * contacts, contacts);
    m_free = model.offset;
    m_relative = model.offset;
    m_step = model.offset;
    m_force = VectorXd::Zero(3 * contacts);
    refresh();
}

void CondensedContact::publish(const CondensedModel& model)
{
    check(model);
    m_incoming.slot() = model;
    m_incoming.publish();
}

void CondensedContact::refresh()
{
    m_rho = m_settings.rho > 0.0 ? m_settings.rho : 1.0 / m_model.compliance.diagonal().maxCoeff();
}

void CondensedContact::take_model()
{
    if (m_incoming.take()) {
        m_from.compliance = m_model.compliance;
        m_from.drive = m_model.drive;
        m_from.offset = m_model.offset;
        m_blended = 0;
        m_blending = true;
    }
    if (!m_blending) {
        return;
    }
    // Step by step, so that the force does not jump with the model.
    ++m_blended;
    const double share = static_cast<double>(m_blended) / m_settings.blend_ticks;
    const CondensedModel& to = m_incoming.value();
    m_model.compliance = (1.0 - share) * m_from.compliance + share * to.compliance;
    m_model.drive = (1.0 - share) * m_from.drive + share * to.drive;
    m_model.offset = (1.0 - share) * m_from.offset + share * to.offset;
    m_blending = m_blended < m_settings.blend_ticks;
    refresh();
}

GaussSeidelResult CondensedContact::sweep_uzawa(double budget_s)
{
    const Clock::time_point start = Clock::now();
    GaussSeidelResult result;
    result.residual = std::numeric_limits<double>::infinity();
    const double inner = inner_share * m_settings.tolerance;
    while (result.iterations < m_settings.max_sweeps) {
        double squared = 0.0;
        for (const BlockDescriptor& block : m_blocks) {
            const int o = block.offset;
            const Vector3d old = m_force.segment<3>(o);
            Vector3d u = m_free.segment<3>(o);
            u.noalias() += m_model.compliance.middleRows<3>(o) * m_force;
            Vector3d force = old;
            if (m_settings.scheme == CondensedScheme::global_uzawa) {
                force = uzawa_step(old, u, block.mu, m_rho);
            } else {
                const Matrix3d own = m_model.compliance.block<3, 3>(o, o);
                local_uzawa(own, u - own * old, block.mu, m_rho, inner, max_inner_steps, force);
            }
            m_force.segment<3>(o) = force;
            squared += (force - old).squaredNorm();
        }
        ++result.iterations;
        result.residual = std::sqrt(squared) / m_rho;
        result.converged = result.residual <= m_settings.tolerance;
        if (result.converged || (budget_s > 0.0 && seconds_since(start) >= budget_s)) {
            break;
        }
    }
    return result;
}

double CondensedContact::natural_map()
{
    double squared = 0.0;
    for (const BlockDescriptor& block : m_blocks) {
        const Vector3d force = m_force.segment<3>(block.offset);
        squared += (force - uzawa_step(force, m_step.segment<3>(block.offset), block.mu, 1.0)).squaredNorm();
    }
    const double size = std::max({m_free.norm(), m_force.norm(), m_step.norm()});
    return size > 0.0 ? std::sqrt(squared) / size : 0.0;
}

CondensedTick CondensedContact::tick(const Vector3d& x)
{
    const Clock::time_point start = Clock::now();
    take_model();
    m_free = m_model.offset;
    m_free.noalias() += m_model.drive * x;
    const Index rows = m_free.size();
    for (Index i = 0; i < rows; i += 3) {
        m_free.segment<2>(i + 1) -= m_relative.segment<2>(i + 1);
    }
    double budget = m_settings.budget_s;
    if (budget > 0.0) {
        budget = std::max(budget - seconds_since(start), 1e-9);
    }
    GaussSeidelResult solved;
    if (m_settings.scheme == CondensedScheme::block_gauss_seidel) {
        const GaussSeidelOptions options{.velocity_tolerance = m_settings.tolerance,
                                         .max_iterations = m_settings.max_sweeps,
                                         .time_budget_s = budget};
        solved = m_solver.solve(m_model.compliance, m_free, m_blocks, options, m_force);
    } else {
        solved = sweep_uzawa(budget);
    }
    m_step = m_free;
    m_step.noalias() += m_model.compliance * m_force;
    // Positions from rest again: what slipped in this tick stays slipped.
    for (Index i = 0; i < rows; i += 3) {
        m_relative[i] = m_step[i];
        m_relative.segment<2>(i + 1) += m_step.segment<2>(i + 1);
    }

    CondensedTick result;
    result.sweeps = solved.iterations;
    result.error = solved.residual;
    result.residual = natural_map();
    result.converged = solved.converged;
    Vector3d sum = Vector3d::Zero();
    for (Index i = 0; i < rows; i += 3) {
        sum += m_force.segment<3>(i);
        result.touching += m_force[i] > 0.0 ? 1 : 0;
        result.penetration = std::max(result.penetration, -m_relative[i]);
    }
    result.force = m_frame * sum;
    return result;
}

}  // namespace softcontact

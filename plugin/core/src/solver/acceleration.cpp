// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/acceleration.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace softcontact {

namespace {

// A step this many times longer than the last, squared, starts Anderson mixing afresh.
constexpr double restart_growth = 4.0;
// Tikhonov term of its least squares, against the trace.
constexpr double mixing_regularisation = 1e-12;
// Sum of mixing weights up to which an image keeps its digits.
constexpr double most_weight = 3.0;

}  // namespace

void SweepAcceleration::reserve(Index rows)
{
    if (m_weight.size() >= rows) {
        return;
    }
    for (VectorXd* buffer : {&m_weight, &m_direction, &m_step, &m_last_step, &m_last_point}) {
        buffer->resize(rows);
    }
    m_step_changes.resize(rows, window);
    m_point_changes.resize(rows, window);
}

void SweepAcceleration::start(Index rows)
{
    reserve(rows);
    m_size = rows;
    m_direction.head(rows).setZero();
    m_last_norm = 0.0;
    m_used = m_next = 0;
    m_started = false;
}

void SweepAcceleration::set_weight(Index row, double diagonal)
{
    m_weight[row] = std::sqrt(std::max(0.0, diagonal));
}

void SweepAcceleration::apply(Acceleration method, const Eigen::Ref<const VectorXd>& before,
                              Eigen::Ref<VectorXd> lambda)
{
    if (method == Acceleration::conjugate) {
        conjugate(before, lambda);
    } else if (method == Acceleration::anderson) {
        const SmallVector weights = mix(before, lambda, nullptr);
        for (Index j = 0; j < weights.size(); ++j) {
            lambda -= weights[j] * m_point_changes.col(j).head(m_size);
        }
    }
}

bool SweepAcceleration::apply(Acceleration method, const VectorXd& before, const VectorXd& image_before,
                              VectorXd& lambda, VectorXd& image)
{
    if (method == Acceleration::conjugate) {
        const double beta = conjugate(before, lambda);
        if (!m_started) {
            m_image_direction.setZero(image.size());
            m_started = true;
        }
        m_last_image = image - image_before;
        image += beta * m_image_direction;
        m_image_direction = beta * m_image_direction + m_last_image;
    } else if (method == Acceleration::anderson) {
        const SmallVector weights = mix(before, lambda, &image);
        for (Index j = 0; j < weights.size(); ++j) {
            lambda -= weights[j] * m_point_changes.col(j).head(m_size);
            image -= weights[j] * m_image_changes.col(j);
        }
        return weights.size() == 0 || weights.lpNorm<1>() <= most_weight;
    }
    return true;
}

double SweepAcceleration::conjugate(const Eigen::Ref<const VectorXd>& before, Eigen::Ref<VectorXd> lambda)
{
    double norm = 0.0;
    for (Index i = 0; i < m_size; ++i) {
        const double step = m_weight[i] * (lambda[i] - before[i]);
        norm += step * step;
    }
    const double ratio = m_last_norm > 0.0 ? norm / m_last_norm : 2.0;
    m_last_norm = norm;
    const double beta = ratio > 1.0 ? 0.0 : ratio;
    for (Index i = 0; i < m_size; ++i) {
        const double step = lambda[i] - before[i];
        const double carried = beta * m_direction[i];
        lambda[i] += carried;
        m_direction[i] = carried + step;
    }
    return beta;
}

SweepAcceleration::SmallVector SweepAcceleration::mix(const Eigen::Ref<const VectorXd>& before,
                                                      const Eigen::Ref<const VectorXd>& lambda,
                                                      const VectorXd* image)
{
    auto step = m_step.head(m_size);
    auto last_step = m_last_step.head(m_size);
    auto last_point = m_last_point.head(m_size);
    step = m_weight.head(m_size).cwiseProduct(lambda - before);
    const double norm = step.squaredNorm();
    if (norm > restart_growth * m_last_norm) {
        m_used = m_next = 0;
    } else if (m_started) {
        m_step_changes.col(m_next).head(m_size) = step - last_step;
        m_point_changes.col(m_next).head(m_size) = lambda - last_point;
        if (image != nullptr) {
            m_image_changes.resize(image->size(), window);
            m_image_changes.col(m_next) = *image - m_last_image;
        }
        m_used = std::min(m_used + 1, window);
        for (int j = 0; j < m_used; ++j) {
            m_gram(m_next, j) = m_gram(j, m_next) =
                m_step_changes.col(m_next).head(m_size).dot(m_step_changes.col(j).head(m_size));
        }
        m_next = (m_next + 1) % window;
    }
    m_last_norm = norm;
    m_started = true;
    last_step = step;
    last_point = lambda;
    if (image != nullptr) {
        m_last_image = *image;
    }
    if (m_used == 0) {
        return {};
    }
    SmallVector right(m_used);
    for (int j = 0; j < m_used; ++j) {
        right[j] = m_step_changes.col(j).head(m_size).dot(step);
    }
    SmallMatrix gram = m_gram.topLeftCorner(m_used, m_used);
    gram.diagonal().array() += mixing_regularisation * gram.trace();
    const SmallVector weights = gram.ldlt().solve(right);
    return weights.allFinite() ? weights : SmallVector();
}

}  // namespace softcontact

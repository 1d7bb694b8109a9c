// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/contact_clusters.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <tuple>

namespace softcontact {

namespace {

double angle(const Vector3d& a, const Vector3d& b)
{
    return std::acos(std::clamp(a.dot(b), -1.0, 1.0));
}

}  // namespace

void ContactClusters::reserve(std::size_t points)
{
    m_weights.reserve(points);
    m_clusters.reserve(points + 1);
    for (auto* values : {&m_component, &m_cluster, &m_queue, &m_rest, &m_order, &m_used}) {
        values->reserve(points + 1);
    }
}

void ContactClusters::find_components(std::span<const ContactPoint> points, std::span<const int> labels,
                                      const ClusterLimits& limits)
{
    m_rest.clear();
    for (int i = static_cast<int>(points.size()) - 1; i >= 0; --i) {
        m_rest.push_back(i);
    }
    m_component.assign(points.size(), 0);
    for (int component = 0; !m_rest.empty(); ++component) {
        m_queue.assign(1, m_rest.back());
        m_rest.pop_back();
        while (!m_queue.empty()) {
            const auto i = static_cast<std::size_t>(m_queue.back());
            m_queue.pop_back();
            m_component[i] = component;
            std::size_t left = 0;
            for (const int other : m_rest) {
                const auto j = static_cast<std::size_t>(other);
                const bool together = labels[i] >= 0 && labels[i] == labels[j];
                const double reach = together ? limits.split_distance : limits.join_distance;
                if ((points[i].p - points[j].p).squaredNorm() <= reach * reach) {
                    m_queue.push_back(other);
                } else {
                    m_rest[left++] = other;
                }
            }
            m_rest.resize(left);
        }
    }
}

void ContactClusters::sum_up()
{
    for (auto& cluster : m_clusters) {
        cluster.area = 0.0;
        cluster.count = 0;
        cluster.normal_sum.setZero();
        cluster.centre.setZero();
    }
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        Cluster& cluster = m_clusters[static_cast<std::size_t>(m_cluster[i])];
        cluster.area += m_weights[i];
        cluster.normal_sum += m_weights[i] * m_points[i].normal;
        cluster.centre += m_weights[i] * m_points[i].p;
        cluster.count += 1;
    }
    // Those without points go; the others keep their order.
    m_order.assign(m_clusters.size(), -1);
    std::size_t kept = 0;
    for (std::size_t c = 0; c < m_clusters.size(); ++c) {
        if (m_clusters[c].count == 0) {
            continue;
        }
        m_order[c] = static_cast<int>(kept);
        Cluster& cluster = m_clusters[kept++] = m_clusters[c];
        cluster.centre /= cluster.area;
        const double length = cluster.normal_sum.norm();
        cluster.normal = length > 0.0 ? Vector3d(cluster.normal_sum / length) : Vector3d::Zero();
    }
    m_clusters.resize(kept);
    for (int& cluster : m_cluster) {
        cluster = m_order[static_cast<std::size_t>(cluster)];
    }
}

/// One cluster for each old label in each component; new points go to the normal nearest to theirs.
void ContactClusters::gather(std::span<const int> labels)
{
    m_clusters.clear();
    m_cluster.assign(m_points.size(), -1);
    const auto find = [&](int component, int label) {
        for (std::size_t c = 0; c < m_clusters.size(); ++c) {
            if (m_clusters[c].component == component && m_clusters[c].label == label) {
                return static_cast<int>(c);
            }
        }
        Cluster cluster;
        cluster.label = label;
        cluster.component = component;
        m_clusters.push_back(cluster);
        return static_cast<int>(m_clusters.size()) - 1;
    };
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        m_cluster[i] = find(m_component[i], labels[i]);
    }
    sum_up();
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        if (labels[i] >= 0) {
            continue;
        }
        double nearest = 10.0;
        for (std::size_t c = 0; c < m_clusters.size(); ++c) {
            if (m_clusters[c].component != m_component[i] || m_clusters[c].label < 0) {
                continue;
            }
            const double apart = angle(m_points[i].normal, m_clusters[c].normal);
            if (apart < nearest) {
                nearest = apart;
                m_cluster[i] = static_cast<int>(c);
            }
        }
    }
    sum_up();
}

void ContactClusters::move_points(double margin)
{
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const int own = m_cluster[i];
        double least = angle(m_points[i].normal, m_clusters[static_cast<std::size_t>(own)].normal) - margin;
        for (std::size_t c = 0; c < m_clusters.size(); ++c) {
            if (m_clusters[c].component != m_component[i] || static_cast<int>(c) == own) {
                continue;
            }
            const double apart = angle(m_points[i].normal, m_clusters[c].normal);
            if (apart < least) {
                least = apart;
                m_cluster[i] = static_cast<int>(c);
            }
        }
    }
    sum_up();
}

void ContactClusters::merge(const ClusterLimits& limits)
{
    for (;;) {
        int first = -1, second = -1;
        double nearest = 10.0;
        for (std::size_t a = 0; a < m_clusters.size(); ++a) {
            for (std::size_t b = a + 1; b < m_clusters.size(); ++b) {
                const Cluster &one = m_clusters[a], &other = m_clusters[b];
                if (one.component != other.component) {
                    continue;
                }
                const double apart = angle(one.normal, other.normal);
                const double share = std::min(one.area, other.area) / (one.area + other.area);
                const double offset = (one.centre - other.centre).norm();
                const bool same =
                    apart < limits.merge_angle || offset < limits.merge_offset || share < limits.least_share;
                if (same && apart < nearest) {
                    nearest = apart;
                    first = static_cast<int>(a);
                    second = static_cast<int>(b);
                }
            }
        }
        if (first < 0) {
            return;
        }
        // −1, points that are all new, does not count as a label.
        const auto kept = static_cast<unsigned>(m_clusters[static_cast<std::size_t>(first)].label);
        const auto gone = static_cast<unsigned>(m_clusters[static_cast<std::size_t>(second)].label);
        m_clusters[static_cast<std::size_t>(first)].label = static_cast<int>(std::min(kept, gone));
        for (int& cluster : m_cluster) {
            cluster = cluster == second ? first : cluster;
        }
        sum_up();
    }
}

bool ContactClusters::split_one(int cluster, const ClusterLimits& limits)
{
    // Cut across the direction in which the normals differ most, then let each point go to the nearer half.
    const Cluster whole = m_clusters[static_cast<std::size_t>(cluster)];
    const Vector3d mean = whole.normal_sum / whole.area;
    Matrix3d spread = Matrix3d::Zero();
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        if (m_cluster[i] == cluster) {
            const Vector3d off = m_points[i].normal - mean;
            spread += m_weights[i] * off * off.transpose();
        }
    }
    Eigen::SelfAdjointEigenSolver<Matrix3d> solver;
    solver.computeDirect(spread);
    const Vector3d across = solver.eigenvectors().col(2);
    Vector3d sums[2] = {Vector3d::Zero(), Vector3d::Zero()};
    Vector3d centres[2] = {Vector3d::Zero(), Vector3d::Zero()};
    constexpr int rounds = 5;
    for (int round = 0; round < rounds; ++round) {
        const Vector3d cut = round == 0 ? across : Vector3d(sums[1].normalized() - sums[0].normalized());
        const double middle = round == 0 ? across.dot(mean) : 0.0;
        double areas[2] = {0.0, 0.0};
        for (int half = 0; half < 2; ++half) {
            sums[half].setZero();
            centres[half].setZero();
        }
        for (std::size_t i = 0; i < m_points.size(); ++i) {
            if (m_cluster[i] == cluster) {
                const int half = cut.dot(m_points[i].normal) > middle ? 1 : 0;
                m_queue[i] = half;
                areas[half] += m_weights[i];
                sums[half] += m_weights[i] * m_points[i].normal;
                centres[half] += m_weights[i] * m_points[i].p;
            }
        }
        if (std::min(areas[0], areas[1]) < limits.smallest_share * whole.area ||
            !(sums[0].norm() > 0.0 && sums[1].norm() > 0.0)) {
            return false;
        }
        for (int half = 0; half < 2; ++half) {
            centres[half] /= areas[half];
        }
    }
    if (angle(sums[0].normalized(), sums[1].normalized()) <= limits.split_angle ||
        (centres[0] - centres[1]).norm() <= limits.split_offset) {
        return false;
    }
    Cluster half;
    half.component = whole.component;
    m_clusters.push_back(half);
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        if (m_cluster[i] == cluster && m_queue[i] == 1) {
            m_cluster[i] = static_cast<int>(m_clusters.size()) - 1;
        }
    }
    sum_up();
    Cluster &one = m_clusters[static_cast<std::size_t>(cluster)], &other = m_clusters.back();
    if (other.area > one.area) {
        std::swap(one.label, other.label);
    }
    return true;
}

void ContactClusters::split(const ClusterLimits& limits)
{
    m_queue.resize(m_points.size());
    for (int cluster = 0; cluster < static_cast<int>(m_clusters.size());) {
        if (m_clusters[static_cast<std::size_t>(cluster)].count < 2 || !split_one(cluster, limits)) {
            ++cluster;
        }
    }
}

void ContactClusters::number(std::span<int> labels)
{
    // The larger of two clusters with one label keeps it; place decides between equals, not order.
    const auto before = [&](int a, int b) {
        const auto rank = [&](int index) {
            const Cluster& c = m_clusters[static_cast<std::size_t>(index)];
            return std::tuple(-c.area, c.centre[0], c.centre[1], c.centre[2]);
        };
        return rank(a) < rank(b);
    };
    m_order.clear();
    for (std::size_t c = 0; c < m_clusters.size(); ++c) {
        m_order.push_back(static_cast<int>(c));
    }
    std::sort(m_order.begin(), m_order.end(), before);
    m_used.clear();
    const auto is_used = [&](int label) {
        return std::find(m_used.begin(), m_used.end(), label) != m_used.end();
    };
    for (const int index : m_order) {
        int& label = m_clusters[static_cast<std::size_t>(index)].label;
        if (label >= 0 && is_used(label)) {
            label = -1;
        } else if (label >= 0) {
            m_used.push_back(label);
        }
    }
    int free_label = 0;
    for (const int index : m_order) {
        int& label = m_clusters[static_cast<std::size_t>(index)].label;
        if (label < 0) {
            while (is_used(free_label)) {
                ++free_label;
            }
            label = free_label;
            m_used.push_back(label);
        }
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
        labels[i] = m_clusters[static_cast<std::size_t>(m_cluster[i])].label;
    }
    std::sort(m_clusters.begin(), m_clusters.end(),
              [](const Cluster& a, const Cluster& b) { return a.label < b.label; });
}

void ContactClusters::update(std::span<const ContactPoint> points, std::span<int> labels,
                             const ClusterLimits& limits)
{
    m_points = points;
    m_clusters.clear();
    if (points.empty()) {
        return;
    }
    double total = 0.0;
    for (const auto& point : points) {
        total += point.area;
    }
    // Points without area count a little, so that they have a place in the sums.
    constexpr double least_weight = 1e-3;
    const double mean = total / static_cast<double>(points.size());
    m_weights.clear();
    for (const auto& point : points) {
        m_weights.push_back(total > 0.0 ? std::max(point.area, least_weight * mean) : 1.0);
    }
    find_components(points, labels, limits);
    gather(labels);
    move_points(limits.keep_angle);
    merge(limits);
    split(limits);
    number(labels);
}

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/contact/contact_point.hpp>
#include <span>
#include <vector>

namespace softcontact {

/// When contact points of a pair belong together. Each limit comes twice, so that nothing flickers: what is
/// one cluster stays one until it is clearly two, and the other way round.
struct ClusterLimits {
    double join_distance = 0.0;   ///< points nearer than this belong together [m]
    double split_distance = 0.0;  ///< one cluster holds together over gaps up to this [m], >= join_distance
    double merge_angle = 0.45;    ///< clusters whose mean normals enclose less become one [rad]
    double split_angle = 0.75;    ///< a cluster is cut where its halves' mean normals enclose more [rad]
    double keep_angle = 0.17;     ///< another cluster's normal must be as much nearer for a point to go over
    double merge_offset = 0.0;    ///< clusters whose centres are nearer than this are one place [m]
    double split_offset = 0.0;    ///< a cut by normals needs halves whose centres are further apart [m]
    double smallest_share = 0.1;  ///< of the area that either half must have for a cut by normals
    double least_share = 0.05;    ///< of the area below which a cluster goes to the one it is nearest to

    /// Distances for points that sample a surface at `spacing` [m].
    [[nodiscard]] static ClusterLimits at_spacing(double spacing)
    {
        ClusterLimits limits;
        limits.join_distance = 2.0 * spacing;
        limits.split_distance = 3.0 * spacing;
        limits.merge_offset = 0.75 * spacing;
        limits.split_offset = 1.5 * spacing;
        return limits;
    }
};

/// Splits the contact points of a pair of bodies into clusters by position and normal, step after step.
///
/// A cluster is a set of points that hangs together, no gap wider than a limit, and whose normals lie round
/// one direction: two faces of an edge or of a groove are two clusters, two bumps with nothing in between as
/// well, a smooth curve is one as long as its two halves do not face clearly different ways. So is the ridge
/// of an edge that has hardly sunk in: its normals differ, but not its places. Points remember their cluster
/// by its label, and all limits have hysteresis. The result depends on the points and their labels, not on
/// their order, but for exact ties and the round-off of sums. Cost grows with the square of the number of
/// points. Buffers grow to the largest set seen.
///
/// Source: Talvas, Marchal, Duriez and Otaduy 2015, Sec. 5.4 (contact clustering named as future work).
class ContactClusters {
public:
    struct Cluster {
        int label = -1;
        double area = 0.0;                   ///< weight of its points [m²]
        int count = 0;                       ///< points
        Vector3d normal = Vector3d::Zero();  ///< mean, unit
        Vector3d centre = Vector3d::Zero();  ///< mean position [m]
        int component = 0;
        Vector3d normal_sum = Vector3d::Zero();
    };

    void reserve(std::size_t points);

    /// labels (points.size()): cluster of each point in the step before, −1 where it is new; then that of
    /// now,
    /// >= 0 and the smallest numbers that are free. A cluster that splits leaves its label to the larger
    /// part; of clusters that merge the smallest label stays.
    void update(std::span<const ContactPoint> points, std::span<int> labels, const ClusterLimits& limits);

    /// Clusters of the last update, ascending in their label.
    [[nodiscard]] std::span<const Cluster> clusters() const { return m_clusters; }

private:
    void find_components(std::span<const ContactPoint> points, std::span<const int> labels,
                         const ClusterLimits& limits);
    void gather(std::span<const int> labels);
    void move_points(double margin);
    void merge(const ClusterLimits& limits);
    void split(const ClusterLimits& limits);
    bool split_one(int cluster, const ClusterLimits& limits);
    void sum_up();
    void number(std::span<int> labels);

    std::span<const ContactPoint> m_points;
    std::vector<double> m_weights;
    std::vector<int> m_component, m_cluster;  ///< of each point
    std::vector<int> m_queue, m_rest, m_order;
    std::vector<Cluster> m_clusters;
    std::vector<int> m_used;  ///< labels taken
};

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
// A small world with every kind of body in contact: shared by the tests of the World.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "softcontact/world/world.hpp"

namespace test {

using namespace softcontact;

/// A box cut into six tetrahedra a cell, and its own boundary as surface.
struct TetrahedralBox {
    Points nodes;
    Tetrahedra tetrahedra;
    Triangles triangles;  ///< over the nodes of the boundary
    Embedding embedding;  ///< of the boundary's vertices
    Points surface;
};

inline TetrahedralBox make_box(const Vector3d& centre, const Vector3d& size, const std::array<int, 3>& cells)
{
    TetrahedralBox box;
    const std::array<int, 3> count{cells[0] + 1, cells[1] + 1, cells[2] + 1};
    const auto node = [&](int i, int j, int k) { return (i * count[1] + j) * count[2] + k; };
    box.nodes.resize(3, count[0] * count[1] * count[2]);
    for (int i = 0; i < count[0]; ++i) {
        for (int j = 0; j < count[1]; ++j) {
            for (int k = 0; k < count[2]; ++k) {
                const Vector3d share(double(i) / cells[0] - 0.5, double(j) / cells[1] - 0.5,
                                     double(k) / cells[2] - 0.5);
                box.nodes.col(node(i, j, k)) = centre + size.cwiseProduct(share);
            }
        }
    }
    const int step[3] = {node(1, 0, 0), node(0, 1, 0), 1};
    const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    box.tetrahedra.resize(4, 6 * cells[0] * cells[1] * cells[2]);
    // Faces that only one element has make up the boundary, turned outwards.
    std::map<std::array<int, 3>, std::pair<Eigen::Vector3i, int>> faces;
    Index next = 0;
    for (int i = 0; i < cells[0]; ++i) {
        for (int j = 0; j < cells[1]; ++j) {
            for (int k = 0; k < cells[2]; ++k) {
                for (const auto& order : orders) {
                    Eigen::Vector4i corners;
                    corners[0] = node(i, j, k);
                    for (int s = 0; s < 3; ++s) corners[s + 1] = corners[s] + step[order[s]];
                    box.tetrahedra.col(next++) = corners;
                    for (int skip = 0; skip < 4; ++skip) {
                        Eigen::Vector3i face;
                        for (int c = 0, at = 0; c < 4; ++c) {
                            if (c != skip) face[at++] = corners[c];
                        }
                        const Vector3d a = box.nodes.col(face[0]), b = box.nodes.col(face[1]);
                        const Vector3d c = box.nodes.col(face[2]), inside = box.nodes.col(corners[skip]);
                        if ((b - a).cross(c - a).dot(inside - a) > 0.0) std::swap(face[1], face[2]);
                        std::array<int, 3> key{face[0], face[1], face[2]};
                        std::sort(key.begin(), key.end());
                        auto& entry = faces[key];
                        entry.first = face;
                        ++entry.second;
                    }
                }
            }
        }
    }
    std::map<int, int> vertex_of;
    std::vector<Eigen::Vector3i> triangles;
    for (const auto& [key, entry] : faces) {
        if (entry.second != 1) continue;
        Eigen::Vector3i triangle;
        for (int c = 0; c < 3; ++c) {
            triangle[c] =
                vertex_of.try_emplace(entry.first[c], static_cast<int>(vertex_of.size())).first->second;
        }
        triangles.push_back(triangle);
    }
    box.triangles.resize(3, static_cast<Index>(triangles.size()));
    for (std::size_t t = 0; t < triangles.size(); ++t)
        box.triangles.col(static_cast<Index>(t)) = triangles[t];
    box.embedding.nodes.setZero(4, static_cast<Index>(vertex_of.size()));
    box.embedding.weights.setZero(4, static_cast<Index>(vertex_of.size()));
    box.surface.resize(3, static_cast<Index>(vertex_of.size()));
    for (const auto& [from, vertex] : vertex_of) {
        box.embedding.nodes.col(vertex).setConstant(from);
        box.embedding.weights(0, vertex) = 1.0;
        box.surface.col(vertex) = box.nodes.col(from);
    }
    return box;
}

/// An octahedron cut `levels` times into four, on the sphere.
inline Surface make_sphere(double radius, int levels)
{
    std::vector<Vector3d> points{Vector3d::UnitX(),  -Vector3d::UnitX(), Vector3d::UnitY(),
                                 -Vector3d::UnitY(), Vector3d::UnitZ(),  -Vector3d::UnitZ()};
    std::vector<Eigen::Vector3i> faces{{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                       {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (int level = 0; level < levels; ++level) {
        std::map<std::pair<int, int>, int> middles;
        const auto middle = [&](int a, int b) {
            const auto [entry, is_new] =
                middles.try_emplace(std::minmax(a, b), static_cast<int>(points.size()));
            if (is_new) points.push_back((points[std::size_t(a)] + points[std::size_t(b)]).normalized());
            return entry->second;
        };
        std::vector<Eigen::Vector3i> finer;
        for (const auto& f : faces) {
            const int ab = middle(f[0], f[1]), bc = middle(f[1], f[2]), ca = middle(f[2], f[0]);
            finer.insert(finer.end(), {{f[0], ab, ca}, {ab, f[1], bc}, {ca, bc, f[2]}, {ab, bc, ca}});
        }
        faces = std::move(finer);
    }
    Points vertices(3, static_cast<Index>(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i) vertices.col(static_cast<Index>(i)) = radius * points[i];
    Triangles triangles(3, static_cast<Index>(faces.size()));
    for (std::size_t i = 0; i < faces.size(); ++i) triangles.col(static_cast<Index>(i)) = faces[i];
    return Surface(vertices, triangles);
}

inline TetrahedralSystem::Definition soft_tissue(const TetrahedralBox& box, double young)
{
    TetrahedralSystem::Definition definition;
    definition.model = CorotationalModel(box.nodes, box.tetrahedra, {Material{young, 0.4, 1000.0}});
    definition.options.rayleigh_stiffness = 0.01;
    return definition;
}

/// A ball and a soft cube on a table, and a hand of two soft fingers that squeezes the ball four times a
/// second, so that contacts come and go for ever.
class GraspWorld {
public:
    static constexpr double time_step = 0.005;
    static constexpr int period = 50;  ///< steps of one squeeze

    explicit GraspWorld(ContactModel contact, Aggregation aggregation = Aggregation::single)
        : world(time_step, Vector3d(0.0, 0.0, -9.81), settings(contact, aggregation))
    {
        const TetrahedralBox top = make_box(Vector3d(0.0, 0.0, -0.01), Vector3d(0.5, 0.5, 0.02), {2, 2, 1});
        world.add_kinematic("table", Surface(top.surface, top.triangles),
                            PoseMotion({0.0}, {Vector3d::Zero()}, {Quaterniond::Identity()}), 0.6);
        add_ball();
        add_hand();
        const TetrahedralBox cube =
            make_box(Vector3d(0.0, 0.047, 0.0155), Vector3d::Constant(0.03), {2, 2, 2});
        const int body = world.add_tetrahedral("cube", soft_tissue(cube, 3e4));
        world.add_field_surface(body, "cube", Surface(cube.surface, cube.triangles), cube.embedding, 0.5,
                                true);
    }

    World world;

private:
    static WorldSettings settings(ContactModel contact, Aggregation aggregation)
    {
        WorldSettings settings;
        settings.contact = contact;
        settings.aggregation = aggregation;
        return settings;
    }

    static JointCompliance compliance(Index dofs, double stiffness)
    {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return {VectorXd::Constant(dofs, stiffness),
                VectorXd::Constant(dofs, 0.05 * stiffness),
                VectorXd::Constant(dofs, -infinity),
                VectorXd::Constant(dofs, infinity),
                VectorXd::Zero(dofs),
                VectorXd::Zero(dofs)};
    }

    void add_ball()
    {
        constexpr double radius = 0.03, mass = 0.06;
        ArticulatedModel model;
        LinkDescription link;
        link.name = "ball";
        link.joint = JointType::free;
        link.mass = mass;
        link.inertia = 0.4 * mass * radius * radius * Matrix3d::Identity();
        model.add_link(link);
        VectorXd q(7);
        q << 0.0, 0.0, radius + 5e-4, 0.0, 0.0, 0.0, 1.0;
        const int ball =
            world.add_articulated("ball", model, compliance(6, 0.0), q, VectorXd::Zero(6), false);
        world.add_link_surface(ball, 0, "ball", make_sphere(radius, 3), 0.8, false);
    }

    void add_hand()
    {
        constexpr double length = 0.05, reach = 0.042;
        ArticulatedModel model;
        const double sides[2] = {-1.0, 1.0};
        for (const double side : sides) {
            LinkDescription link;
            link.name = side < 0.0 ? "left" : "right";
            link.joint = JointType::revolute;
            link.axis = Vector3d::UnitY() * side;  // both angles close when they grow
            link.placement.translation = Vector3d(side * reach, 0.0, 0.075);
            link.mass = 0.02;
            link.com = Vector3d(0.0, 0.0, -0.5 * length);
            link.inertia = 1e-5 * Matrix3d::Identity();
            model.add_link(link);
        }
        const int hand = world.add_articulated("hand", model, compliance(2, 1.0), VectorXd::Zero(2),
                                               VectorXd::Zero(2), true);
        const TetrahedralBox finger =
            make_box(Vector3d(0.0, 0.0, -0.5 * length), Vector3d(0.012, 0.016, length), {2, 2, 4});
        for (int link = 0; link < 2; ++link) {
            TetrahedralSystem::Definition tissue = soft_tissue(finger, 5e4);
            tissue.options.refactor_rotation_tolerance = 0.05;
            for (int node = 0; node < finger.nodes.cols(); ++node) {
                if (std::abs(finger.nodes(0, node)) < 1e-9 && std::abs(finger.nodes(1, node)) < 1e-9) {
                    tissue.options.anchored_nodes.push_back(node);
                }
            }
            tissue.options.anchor_stiffness =
                VectorXd::Constant(static_cast<Index>(tissue.options.anchored_nodes.size()), 2000.0);
            world.add_phalanx(hand, link, model.link(link).name, std::move(tissue),
                              Surface(finger.surface, finger.triangles), finger.embedding, 0.9);
        }
        // Open and closed by turns; the closed target lies beyond the ball's surface.
        std::vector<double> times;
        for (int i = 0; i < 200; ++i) times.push_back(0.5 * period * time_step * i);
        MatrixXd targets(static_cast<Index>(times.size()), 2);
        for (Index i = 0; i < targets.rows(); ++i) targets.row(i).setConstant(i % 2 == 0 ? 0.0 : 0.35);
        world.set_target_motion(hand, VectorMotion(times, targets));
        world.add_grasp(hand, {{"left", {0}, {0.5}, {0}, 1.0}, {"right", {1}, {0.5}, {1}, 1.0}}, 0.1, 0.6,
                        2.0);
    }
};

}  // namespace test

// SPDX-License-Identifier: LGPL-2.1-or-later
// What a pair of surfaces remembers makes detection shorter and changes no contact, not by a bit.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <softcontact/contact/detection.hpp>
#include <vector>

namespace {

using namespace softcontact;

constexpr int rings = 12;
constexpr int segments = 18;
constexpr double radius = 0.02;

/// A sphere of rings and segments; open: without its last ring of triangles.
Surface sphere(bool open)
{
    Points vertices(3, 2 + (rings - 1) * segments);
    std::vector<int> corners;
    const auto at = [](int ring, int segment) { return 1 + (ring - 1) * segments + segment % segments; };
    vertices.col(0) = radius * Vector3d::UnitZ();
    for (int r = 1; r < rings; ++r) {
        for (int s = 0; s < segments; ++s) {
            const double theta = std::numbers::pi * r / rings;
            const double phi = 2.0 * std::numbers::pi * s / segments;
            vertices.col(at(r, s)) = radius * Vector3d(std::sin(theta) * std::cos(phi),
                                                       std::sin(theta) * std::sin(phi), std::cos(theta));
        }
    }
    const int last = static_cast<int>(vertices.cols()) - 1;
    vertices.col(last) = -radius * Vector3d::UnitZ();
    const auto add = [&](int a, int b, int c) { corners.insert(corners.end(), {a, b, c}); };
    for (int s = 0; s < segments; ++s) {
        add(0, at(1, s), at(1, s + 1));
        for (int r = 1; r < rings - 1; ++r) {
            add(at(r, s), at(r + 1, s), at(r + 1, s + 1));
            add(at(r, s), at(r + 1, s + 1), at(r, s + 1));
        }
        if (!open) add(last, at(rings - 1, s + 1), at(rings - 1, s));
    }
    return {vertices, Eigen::Map<const Triangles>(corners.data(), 3, static_cast<Index>(corners.size() / 3))};
}

Surface box()
{
    Points vertices(3, 8);
    for (int i = 0; i < 8; ++i) {
        vertices.col(i) = 0.8 * radius * Vector3d(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    }
    Triangles triangles(3, 12);
    triangles << 0, 0, 4, 4, 0, 0, 2, 2, 0, 0, 1, 1,  //
        2, 3, 5, 7, 1, 5, 6, 7, 4, 6, 3, 7,           //
        3, 1, 7, 6, 5, 4, 7, 3, 6, 2, 7, 5;
    return {vertices, triangles};
}

/// Swells and dents the sphere at a time, by `size` of its radius.
Points dented(const Surface& surface, double time, double size)
{
    Points vertices = surface.reference_vertices();
    for (Index i = 0; i < vertices.cols(); ++i) {
        const Vector3d x = vertices.col(i) / radius;
        vertices.col(i) *=
            1.0 + size * std::sin(5.0 * x.x() + 7.0 * time) * std::cos(4.0 * x.y() - 3.0 * time);
    }
    return vertices;
}

bool same_bits(const std::vector<ContactPoint>& one, const std::vector<ContactPoint>& other)
{
    if (one.size() != other.size()) return false;
    for (std::size_t i = 0; i < one.size(); ++i) {
        const ContactPoint &x = one[i], &y = other[i];
        if (x.key != y.key || x.a.vertices != y.a.vertices || x.b.vertices != y.b.vertices ||
            x.gap != y.gap || x.area != y.area || x.p != y.p || x.q != y.q || x.normal != y.normal) {
            return false;
        }
    }
    return true;
}

/// The surfaces come together, roll over each other, part, and jump now and then; what is near the start, in
/// the middle and far away changes all the time.
bool compare(Surface a, Surface b, double dents, const char* name)
{
    DetectionOptions options;
    DetectionWorkspace workspace;
    DetectionMemory memory;
    std::vector<ContactPoint> fresh, remembered;
    std::size_t touched = 0, apart = 0;
    for (int step = 0; step < 600; ++step) {
        const double time = 0.005 * step + (step % 150 == 149 ? 0.7 : 0.0);
        a.move(dented(a, time, dents));
        b.move(dented(b, 1.3 * time, dents));
        a.refresh();
        b.refresh();
        const double distance = radius * (2.0 + 0.4 * std::sin(6.0 * time));
        Pose pose;
        pose.rotation = Eigen::AngleAxisd(4.0 * time, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
        pose.translation = distance * Vector3d(std::sin(2.0 * time), 0.3, std::cos(2.0 * time)).normalized();
        a.set_pose(pose);
        detect_contacts(a, b, options, workspace, fresh);
        detect_contacts(a, b, options, workspace, remembered, &memory);
        if (!same_bits(fresh, remembered)) {
            std::fprintf(stderr, "failed: %s, step %d: %zu contacts, %zu with memory\n", name, step,
                         fresh.size(), remembered.size());
            return false;
        }
        touched += fresh.empty() ? 0 : 1;
        apart += fresh.empty() ? 1 : 0;
    }
    if (touched < 100 || apart < 100) {
        std::fprintf(stderr, "failed: %s touches in %zu steps and is apart in %zu\n", name, touched, apart);
        return false;
    }
    return true;
}

}  // namespace

int main()
{
    bool good = compare(sphere(false), sphere(false), 0.0, "rigid spheres");
    good &= compare(sphere(false), sphere(false), 0.08, "soft spheres");
    good &= compare(sphere(false), sphere(true), 0.08, "a soft sphere on an open one");
    good &= compare(box(), sphere(false), 0.08, "a box on a soft sphere");
    good &= compare(sphere(true), box(), 0.08, "an open sphere on a box");
    return good ? 0 : 1;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <softcontact/geometry/aabb_tree.hpp>
#include <softcontact/geometry/first_contact.hpp>
#include <vector>

namespace softcontact {

namespace {

using FourPoints = Eigen::Matrix<double, 3, 4>;
using Triple = Eigen::Matrix3d;

constexpr double edge_tolerance = 1e-9;   ///< of barycentric coordinates: neighbours leave no gap
constexpr double flat_tolerance = 1e-14;  ///< volumes below it, by the size of the points, are zero
constexpr int bisections = 60;

double determinant(const Vector3d& a, const Vector3d& b, const Vector3d& c)
{
    return a.dot(b.cross(c));
}

struct Cubic {
    std::array<double, 4> c{};  ///< ascending powers
    [[nodiscard]] double operator()(double t) const { return ((c[3] * t + c[2]) * t + c[1]) * t + c[0]; }
};

/// Root of a monotone stretch whose ends have opposite signs.
double bisect(const Cubic& f, double low, double high)
{
    const bool rising = f(low) < f(high);
    for (int i = 0; i < bisections; ++i) {
        const double middle = 0.5 * (low + high);
        ((f(middle) < 0.0) == rising ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// Corners of one triangle at the start and the end, and the box that it sweeps.
struct MovingTriangle {
    Triple start, end;
    Aabb box;

    [[nodiscard]] Triple at(double share) const { return start + share * (end - start); }
};

MovingTriangle moving_triangle(const MovingSurface& surface, Index index)
{
    MovingTriangle out;
    for (int k = 0; k < 3; ++k) {
        const int vertex = surface.triangles(k, index);
        out.start.col(k) = surface.start.col(vertex);
        out.end.col(k) = surface.end.col(vertex);
        out.box.extend(out.start.col(k));
        out.box.extend(out.end.col(k));
    }
    return out;
}

/// A vertex that meets a face from outside; `normal` is the face's, outwards.
bool meets_face(const Vector3d& point, const Vector3d& velocity, const Triple& face, const Triple& motion,
                Vector3d& normal)
{
    const Vector3d u = face.col(1) - face.col(0), v = face.col(2) - face.col(0);
    const Vector3d cross = u.cross(v);
    const double squared = cross.squaredNorm();
    if (!(squared > 0.0)) {
        return false;
    }
    const Vector3d w = point - face.col(0);
    const double beta = cross.dot(w.cross(v)) / squared, gamma = cross.dot(u.cross(w)) / squared;
    const double alpha = 1.0 - beta - gamma;
    if (std::min({alpha, beta, gamma}) < -edge_tolerance) {
        return false;
    }
    normal = cross / std::sqrt(squared);
    const Vector3d carried = motion * Vector3d(alpha, beta, gamma);
    return normal.dot(velocity - carried) < 0.0;
}

/// Two edges (a, b), (c, d) that meet; the point, and the normal against the approach of the first.
bool edges_meet(const FourPoints& points, const FourPoints& motion, Vector3d& point, Vector3d& normal)
{
    const Vector3d first = points.col(1) - points.col(0), second = points.col(3) - points.col(2);
    const Vector3d cross = first.cross(second);
    const double squared = cross.squaredNorm();
    if (!(squared > flat_tolerance * first.squaredNorm() * second.squaredNorm())) {
        return false;  // parallel: one of their ends meets the other body's face or edge as well
    }
    const Vector3d between = points.col(2) - points.col(0);
    const double s = between.cross(second).dot(cross) / squared;
    const double t = between.cross(first).dot(cross) / squared;
    if (s < -edge_tolerance || s > 1.0 + edge_tolerance || t < -edge_tolerance || t > 1.0 + edge_tolerance) {
        return false;
    }
    point = points.col(0) + s * first;
    const Vector3d approach =
        (1.0 - s) * motion.col(0) + s * motion.col(1) - (1.0 - t) * motion.col(2) - t * motion.col(3);
    normal = cross / std::sqrt(squared);
    if (normal.dot(approach) > 0.0) {
        normal = -normal;
    }
    return normal.dot(approach) < 0.0;
}

class Search {
public:
    void test(const MovingTriangle& a, const MovingTriangle& b)
    {
        for (int k = 0; k < 3; ++k) {
            vertex_face(a, k, b, 1.0);
            vertex_face(b, k, a, -1.0);
            for (int j = 0; j < 3; ++j) {
                edge_edge(a, k, b, j);
            }
        }
    }
    [[nodiscard]] bool found() const { return m_found; }
    [[nodiscard]] const FirstContact& best() const { return m_best; }

private:
    /// The face belongs to B with sign +1, to A with −1.
    void vertex_face(const MovingTriangle& vertex, int k, const MovingTriangle& face, double sign)
    {
        FourPoints start, end;
        start << vertex.start.col(k), face.start;
        end << vertex.end.col(k), face.end;
        Vector3d shares;
        const int count = coplanar_shares(start, end, shares);
        for (int i = 0; i < count && better(shares[i]); ++i) {
            const Vector3d point = vertex.at(shares[i]).col(k);
            Vector3d normal;
            if (meets_face(point, vertex.end.col(k) - vertex.start.col(k), face.at(shares[i]),
                           face.end - face.start, normal)) {
                keep(shares[i], point, sign * normal);
                return;
            }
        }
    }

    void edge_edge(const MovingTriangle& a, int k, const MovingTriangle& b, int j)
    {
        const int k2 = (k + 1) % 3, j2 = (j + 1) % 3;
        FourPoints start, end;
        start << a.start.col(k), a.start.col(k2), b.start.col(j), b.start.col(j2);
        end << a.end.col(k), a.end.col(k2), b.end.col(j), b.end.col(j2);
        Vector3d shares;
        const int count = coplanar_shares(start, end, shares);
        for (int i = 0; i < count && better(shares[i]); ++i) {
            Vector3d point, normal;
            if (edges_meet(start + shares[i] * (end - start), end - start, point, normal)) {
                keep(shares[i], point, normal);
                return;
            }
        }
    }

    [[nodiscard]] bool better(double share) const { return !m_found || share < m_best.share; }
    void keep(double share, const Vector3d& point, const Vector3d& normal)
    {
        m_best = {share, point, normal};
        m_found = true;
    }

    bool m_found = false;
    FirstContact m_best;
};

}  // namespace

int coplanar_shares(const FourPoints& start, const FourPoints& end, Vector3d& shares)
{
    const Vector3d a0 = start.col(1) - start.col(0), b0 = start.col(2) - start.col(0),
                   c0 = start.col(3) - start.col(0);
    const Vector3d a1 = end.col(1) - end.col(0) - a0, b1 = end.col(2) - end.col(0) - b0,
                   c1 = end.col(3) - end.col(0) - c0;
    const Cubic f{{determinant(a0, b0, c0),
                   determinant(a1, b0, c0) + determinant(a0, b1, c0) + determinant(a0, b0, c1),
                   determinant(a1, b1, c0) + determinant(a1, b0, c1) + determinant(a0, b1, c1),
                   determinant(a1, b1, c1)}};
    const double size = std::max({a0.squaredNorm(), b0.squaredNorm(), c0.squaredNorm(),
                                  (a0 + a1).squaredNorm(), (b0 + b1).squaredNorm(), (c0 + c1).squaredNorm()});
    const double zero = flat_tolerance * size * std::sqrt(size);
    if (std::max({std::abs(f.c[0]), std::abs(f.c[1]), std::abs(f.c[2]), std::abs(f.c[3])}) <= zero) {
        return 0;  // in one plane all the way
    }
    // Stretches between the extrema, in each of which the volume is monotone.
    std::array<double, 4> knots{0.0, 1.0, 1.0, 1.0};
    int stretches = 1;
    const double p = 3.0 * f.c[3], q = f.c[2], r = f.c[1];  // p t² + 2 q t + r
    const double discriminant = q * q - p * r;
    if (discriminant > 0.0) {
        const double w = -(q + std::copysign(std::sqrt(discriminant), q));
        std::array<double, 2> extrema{p != 0.0 ? w / p : -1.0, w != 0.0 ? r / w : -1.0};
        std::sort(extrema.begin(), extrema.end());
        for (const double t : extrema) {
            if (t > 0.0 && t < 1.0) {
                knots[static_cast<std::size_t>(stretches++)] = t;
            }
        }
    }
    knots[static_cast<std::size_t>(stretches)] = 1.0;
    int count = 0;
    const auto add = [&](double t) {
        if (count < 3 && (count == 0 || t > shares[count - 1])) {
            shares[count++] = t;
        }
    };
    for (int i = 0; i < stretches; ++i) {
        const double low = knots[static_cast<std::size_t>(i)], high = knots[static_cast<std::size_t>(i) + 1];
        const double at_low = f(low), at_high = f(high);
        if (std::abs(at_low) <= zero) {
            add(low);
        }
        if (std::abs(at_low) > zero && std::abs(at_high) > zero && (at_low < 0.0) != (at_high < 0.0)) {
            add(bisect(f, low, high));
        }
    }
    if (std::abs(f(1.0)) <= zero) {
        add(1.0);
    }
    return count;
}

std::optional<FirstContact> first_contact(const MovingSurface& a, const MovingSurface& b)
{
    std::vector<MovingTriangle> of_a, of_b;
    Aabb box_a, box_b;
    for (Index i = 0; i < a.triangles.cols(); ++i) {
        of_a.push_back(moving_triangle(a, i));
        box_a.extend(of_a.back().box);
    }
    for (Index i = 0; i < b.triangles.cols(); ++i) {
        const MovingTriangle triangle = moving_triangle(b, i);
        if (triangle.box.overlaps(box_a)) {
            of_b.push_back(triangle);
            box_b.extend(triangle.box);
        }
    }
    Search search;
    for (const MovingTriangle& first : of_a) {
        if (!first.box.overlaps(box_b)) {
            continue;
        }
        for (const MovingTriangle& second : of_b) {
            if (first.box.overlaps(second.box)) {
                search.test(first, second);
            }
        }
    }
    if (!search.found()) {
        return std::nullopt;
    }
    return search.best();
}

}  // namespace softcontact

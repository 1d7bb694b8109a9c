// SPDX-License-Identifier: LGPL-2.1-or-later
#include <time.h>

#include <chrono>

#include "bind_vademecum.hpp"
#include "softcontact/vademecum/boundary_distance.hpp"
#include "softcontact/vademecum/penalty_contact.hpp"

namespace softcontact::bindings {

namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// Ticks of a loop that asks for the contacts of a shell on the way.
struct Course {
    Points shell;               ///< (3, n) [m]
    Points offsets;             ///< of the shell in each tick (3, ticks) [m]
    std::vector<Index> cases;   ///< load in each tick; -1: that before stays
    std::vector<double> sizes;  ///< of it
};

/// Time that this thread has had [s]; of the wall's clock where there is none of the thread's.
double thread_time()
{
#if defined(CLOCK_THREAD_CPUTIME_ID)
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
#else
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

/// Times [s] of each tick, by the thread's clock and by the wall's, and contacts in each.
template <typename Tick>
py::tuple timed(const Course& course, LoadedField& field, const Tick& tick)
{
    const Index ticks = course.offsets.cols();
    if (static_cast<Index>(course.cases.size()) != ticks ||
        static_cast<Index>(course.sizes.size()) != ticks) {
        throw std::invalid_argument("cases, sizes: expected one for each of the offsets");
    }
    VectorXd own(ticks), wall(ticks);
    std::vector<Index> contacts(static_cast<std::size_t>(ticks));
    Points moved = course.shell;
    for (Index k = 0; k < ticks; ++k) {
        const auto i = static_cast<std::size_t>(k);
        moved = course.shell.colwise() + course.offsets.col(k);
        const auto started = std::chrono::steady_clock::now();
        const double before = thread_time();
        if (course.cases[i] >= 0) {
            field.clear();
            field.add(course.cases[i], course.sizes[i]);
        }
        contacts[i] = tick(moved);
        own[k] = thread_time() - before;
        wall[k] = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    }
    return py::make_tuple(own, wall, contacts);
}

Course course_of(const Rows& shell, const Rows& offsets, std::vector<Index> cases, std::vector<double> sizes)
{
    return {shell.transpose(), offsets.transpose(), std::move(cases), std::move(sizes)};
}

}  // namespace

void bind_vademecum_timing(py::module_& module)
{
    module.def(
        "time_contacts",
        [](BoundaryDistance& boundary, LoadedField& field, const Rows& shell, const Rows& offsets,
           std::vector<Index> cases, std::vector<double> sizes) {
            const Course course = course_of(shell, offsets, std::move(cases), std::move(sizes));
            const auto room = static_cast<std::size_t>(shell.rows());
            std::vector<Index> numbers(room);
            std::vector<double> depths(room);
            std::vector<Vector3d> normals(room);
            boundary.remember(shell.rows());
            return timed(course, field, [&](const Points& points) {
                boundary.follow();
                return boundary.contacts(points, {numbers, depths, normals});
            });
        },
        py::arg("boundary"), py::arg("field"), py::arg("shell"), py::arg("offsets"), py::arg("cases"),
        py::arg("sizes"), "Times of each tick (ticks,) [s], the thread's and the wall's, and contacts.");
    module.def(
        "time_contacts",
        [](PenaltyContact& contact, LoadedField& field, const Rows& shell, const Rows& offsets,
           std::vector<Index> cases, std::vector<double> sizes) {
            return timed(course_of(shell, offsets, std::move(cases), std::move(sizes)), field,
                         [&](const Points& points) {
                             const Index count = contact.evaluate(points);
                             contact.commit();
                             return count;
                         });
        },
        py::arg("contact"), py::arg("field"), py::arg("shell"), py::arg("offsets"), py::arg("cases"),
        py::arg("sizes"), "The same with the forces.");
}

}  // namespace softcontact::bindings

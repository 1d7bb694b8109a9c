// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bindings.hpp"
#include "softcontact/contact/aggregate.hpp"
#include "softcontact/contact/contact_clusters.hpp"

namespace softcontact::bindings {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

Array rows_of(const Points& row, int count)
{
    Array out({static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(3)});
    std::copy_n(row.data(), 3 * static_cast<std::size_t>(count), out.mutable_data());
    return out;
}

}  // namespace

void bind_contact(py::module_& module)
{
    module.def("cluster_contacts", [](const Array& points, const Array& normals, const Array& areas,
                                      std::vector<int> labels, double spacing) {
        std::vector<ContactPoint> contacts(labels.size());
        for (std::size_t i = 0; i < labels.size(); ++i) {
            contacts[i].p = Eigen::Map<const Vector3d>(points.data() + 3 * i);
            contacts[i].normal = Eigen::Map<const Vector3d>(normals.data() + 3 * i);
            contacts[i].area = areas.data()[i];
        }
        ContactClusters().update(contacts, labels, ClusterLimits::at_spacing(spacing));
        return labels;
    });
    module.def("aggregate", [](const Array& points, const Array& normals, const Array& gaps,
                               const Array& areas, bool uniform, const Vector3d& last_tangent) {
        const auto count = static_cast<std::size_t>(gaps.size());
        std::vector<ContactPoint> contacts(count);
        for (std::size_t i = 0; i < count; ++i) {
            contacts[i].p = Eigen::Map<const Vector3d>(points.data() + 3 * i);
            contacts[i].normal = Eigen::Map<const Vector3d>(normals.data() + 3 * i);
            contacts[i].gap = gaps.data()[i];
            contacts[i].area = areas.data()[i];
        }
        AggregatePatch patch;
        patch.compute(contacts, uniform ? PressureWeights::uniform : PressureWeights::nonuniform,
                      last_tangent);
        py::dict out;
        out["volume"] = patch.volume;
        out["area"] = patch.area;
        out["gap"] = patch.gap;
        out["centroid"] = patch.centroid;
        out["centre"] = patch.centre;
        out["normal"] = patch.normal;
        out["frame"] = patch.frame;
        out["weights"] = Array(static_cast<py::ssize_t>(count), patch.weights.data());
        out["shares"] = Array(static_cast<py::ssize_t>(count), patch.shares.data());
        out["offsets"] =
            Array({static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(2)}, patch.offsets.data());
        out["normal_row"] = rows_of(patch.normal_row, patch.count);
        out["torsion_row"] =
            patch.has_torsion ? py::object(rows_of(patch.torsion_row, patch.count)) : py::none();
        return out;
    });
}

}  // namespace softcontact::bindings

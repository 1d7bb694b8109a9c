// SPDX-License-Identifier: LGPL-2.1-or-later
#include <span>
#include <string>

#include "bindings.hpp"
#include "softcontact/bodies/articulated.hpp"
#include "softcontact/bodies/operational_space.hpp"

namespace softcontact::bindings {
namespace {

using Rows3 = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Wrenches = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>;

int add_link(ArticulatedModel& model, const std::string& name, int parent, const std::string& joint,
             const Vector3d& axis, const Vector3d& axis2, const Matrix3d& rotation,
             const Vector3d& translation, double mass, const Vector3d& com, const Matrix3d& inertia,
             const VectorXd& armature)
{
    return model.add_link({name, parent, joint_type(joint), axis, axis2, Pose{rotation, translation}, mass,
                           com, inertia, armature});
}

/// `repetitions` times over, for a clock.
VectorXd dynamics(const ArticulatedModel& model, ArticulatedData& data, const VectorXd& q, const VectorXd& v,
                  const VectorXd& tau, const Wrenches& external, int repetitions)
{
    std::vector<Vector6d> wrenches(static_cast<std::size_t>(external.rows()));
    for (std::size_t i = 0; i < wrenches.size(); ++i) wrenches[i] = external.row(static_cast<Index>(i));
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        forward_dynamics(model, data, q, v, tau, wrenches);
    }
    return data.acceleration;
}

/// `repetitions` times over, for a clock.
MatrixXd inertia(const ArticulatedModel& model, ArticulatedData& data, const VectorXd& q, int repetitions)
{
    for (int repetition = 0; repetition < repetitions; ++repetition) mass_matrix(model, data, q);
    return data.mass;
}

py::dict link_record(const ArticulatedModel& model, int i)
{
    const LinkDescription& link = model.link(i);
    py::dict record;
    record["name"] = link.name;
    record["parent"] = link.parent;
    record["joint"] = std::string(joint_name(link.joint));
    record["axis"] = link.axis;
    record["axis2"] = link.axis2;
    record["rotation"] = link.placement.rotation;
    record["translation"] = link.placement.translation;
    record["mass"] = link.mass;
    record["com"] = link.com;
    record["inertia"] = link.inertia;
    record["q_offset"] = model.q_offset(i);
    record["v_offset"] = model.v_offset(i);
    return record;
}

/// Rows x, y, z of each point, given in link axes; `repetitions` times over, for a clock.
MatrixXd contact_inertia(const ArticulatedModel& model, ArticulatedData& data, const VectorXd& q,
                         const VectorXd& diagonal, const std::vector<int>& links, const Rows3& points,
                         int repetitions)
{
    OperationalSpace space(model);
    const Points forces = Matrix3d::Identity(), moments = Matrix3d::Zero();
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        forward_kinematics(model, data, q);
        factorize_mass(model, data, diagonal);
        space.clear();
        for (std::size_t i = 0; i < links.size(); ++i) {
            const Vector3d point = points.row(static_cast<Index>(i));
            space.add(data, links[i], data.pose.at(static_cast<std::size_t>(links[i])) * point, forces,
                      moments);
        }
        space.assemble(model, data);
    }
    return space.inverse_inertia();
}

}  // namespace

void bind_articulated(py::module_& module)
{
    using Matrix3Xd = Eigen::Matrix<double, 3, Eigen::Dynamic>;
    py::module_ articulated =
        module.def_submodule("articulated", "Articulated bodies; see softcontact.bodies.");

    py::class_<ArticulatedModel>(articulated, "Model")
        .def(py::init<>())
        .def_readwrite("gravity", &ArticulatedModel::gravity)
        .def("add_link", &add_link)
        .def_property_readonly("nq", &ArticulatedModel::nq)
        .def_property_readonly("nv", &ArticulatedModel::nv)
        .def_property_readonly("link_count", &ArticulatedModel::link_count)
        .def_property_readonly("armature", &ArticulatedModel::armature)
        .def("link", &link_record)
        .def("neutral", &ArticulatedModel::neutral)
        .def("integrate",
             [](const ArticulatedModel& model, const VectorXd& q, const VectorXd& dv) {
                 VectorXd out(model.nq());
                 model.integrate(q, dv, out);
                 return out;
             })
        .def("difference", [](const ArticulatedModel& model, const VectorXd& q0, const VectorXd& q1) {
            VectorXd out(model.nv());
            model.difference(q0, q1, out);
            return out;
        });

    py::class_<ArticulatedData>(articulated, "Data")
        .def(py::init<const ArticulatedModel&>())
        .def("link_pose", [](const ArticulatedData& data, std::size_t i) {
            return py::make_tuple(data.pose.at(i).rotation, data.pose.at(i).translation);
        });

    articulated.def("forward_kinematics", [](const ArticulatedModel& model, ArticulatedData& data,
                                             const VectorXd& q) { forward_kinematics(model, data, q); });
    articulated.def("forward_velocity",
                    [](const ArticulatedModel& model, ArticulatedData& data, const VectorXd& q,
                       const VectorXd& v) { forward_velocity(model, data, q, v); });
    articulated.def("mass_matrix", &inertia, py::arg("model"), py::arg("data"), py::arg("q"),
                    py::arg("repetitions") = 1);
    articulated.def("bias_force", [](const ArticulatedModel& model, ArticulatedData& data, const VectorXd& q,
                                     const VectorXd& v) {
        bias_force(model, data, q, v, model.gravity);
        return data.bias;
    });
    articulated.def("forward_dynamics", &dynamics, py::arg("model"), py::arg("data"), py::arg("q"),
                    py::arg("v"), py::arg("tau"), py::arg("external"), py::arg("repetitions") = 1);
    articulated.def("solve_mass", [](const ArticulatedModel& model, ArticulatedData& data, const VectorXd& q,
                                     const VectorXd& diagonal, VectorXd load) {
        forward_kinematics(model, data, q);
        factorize_mass(model, data, diagonal);
        solve_mass(model, data, load);
        return load;
    });
    articulated.def("contact_inertia", &contact_inertia);
    articulated.def("point_jacobian", [](const ArticulatedModel& model, const ArticulatedData& data, int link,
                                         const Vector3d& world_point) {
        Matrix3Xd jacobian(3, model.nv());
        point_jacobian(model, data, link, world_point, jacobian);
        return jacobian;
    });
    articulated.def("angular_jacobian",
                    [](const ArticulatedModel& model, const ArticulatedData& data, int link) {
                        Matrix3Xd jacobian(3, model.nv());
                        angular_jacobian(model, data, link, jacobian);
                        return jacobian;
                    });
    articulated.def("wrench_transpose", [](const ArticulatedModel& model, const ArticulatedData& data,
                                           int link, const Vector3d& world_point, const Vector3d& world_force,
                                           const Vector3d& world_torque) {
        MatrixXd columns;
        link_jacobian_transpose(model, data, link, columns);
        const Vector3d arm = world_point - data.pose[static_cast<std::size_t>(link)].translation;
        return VectorXd(columns.leftCols<3>() * world_force +
                        columns.rightCols<3>() * (world_torque + arm.cross(world_force)));
    });
    articulated.def("point_velocity", &point_velocity);
    articulated.def("kinetic_energy", [](const ArticulatedModel& model, const ArticulatedData& data,
                                         const VectorXd& v) { return kinetic_energy(model, data, v); });
    articulated.def("potential_energy", &potential_energy);
    articulated.def("centre_of_mass", &centre_of_mass);
}

}  // namespace softcontact::bindings

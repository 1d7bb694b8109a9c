// SPDX-License-Identifier: LGPL-2.1-or-later
// W of articulated bodies with many contact points, link by link.
#include <algorithm>
#include <softcontact/world/contact_rows.hpp>
#include <softcontact/world/link_carrier.hpp>

namespace softcontact {

namespace {

using Matrix6Xd = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using Wrenches = Eigen::Map<const Matrix6Xd>;

}  // namespace

void ContactRows::keep_wrenches(Entry& entry, SystemEntries& owner)
{
    const ContactSurface& surface = *m_surface;
    owner.carrier = surface.carrier;
    if (entry.link != no_link) {
        entry.link = several_links;  // both sides of the block are on this system
        return;
    }
    entry.link = surface.link;
    entry.wrenches = m_wrenches.size();
    m_wrenches.resize(entry.wrenches + static_cast<std::size_t>(6 * entry.rows));
    Eigen::Map<Matrix6Xd> wrenches(m_wrenches.data() + entry.wrenches, 6, entry.rows);
    const Vector3d arm = m_reference - surface.carrier->link_pose(surface.link).translation;
    for (int row = 0; row < entry.rows; ++row) {
        const Vector3d force = m_force.col(row);
        wrenches.col(row).head<3>() = force;
        wrenches.col(row).tail<3>() = m_moment.col(row) + arm.cross(force);
    }
}

void ContactRows::couple_by_links(std::size_t system)
{
    auto& owner = m_by_system[system];
    const System& body = *(*m_systems)[system];
    const Index dof = body.dof();
    owner.touched.clear();
    std::fill(owner.place_of_link.begin(), owner.place_of_link.end(), -1);
    for (const Entry& entry : owner.entries) {
        if (entry.link < 0) {
            continue;
        }
        const auto link = static_cast<std::size_t>(entry.link);
        if (link >= owner.place_of_link.size()) {
            owner.place_of_link.resize(link + 1, -1);
        }
        if (owner.place_of_link[link] < 0) {
            owner.place_of_link[link] = static_cast<int>(owner.touched.size());
            owner.touched.push_back(entry.link);
        }
    }
    const auto links = static_cast<Index>(owner.touched.size());
    owner.reach.setZero(dof, 6 * links);
    for (Index k = 0; k < links; ++k) {
        const int link = owner.touched[static_cast<std::size_t>(k)];
        const Vector3d origin = owner.carrier->link_pose(link).translation;
        for (int axis = 0; axis < 3; ++axis) {
            const Vector3d unit = Vector3d::Unit(axis), none = Vector3d::Zero();
            owner.carrier->add_wrench(link, origin, unit, none, owner.reach.col(6 * k + axis));
            owner.carrier->add_wrench(link, origin, none, unit, owner.reach.col(6 * k + 3 + axis));
        }
    }
    owner.reached = owner.reach;
    body.solve(owner.reached);
    owner.omega.resize(6 * links, 6 * links);
    owner.omega.noalias() = owner.reach.transpose() * owner.reached;

    const auto wrenches = [&](const Entry& entry) {
        return Wrenches(m_wrenches.data() + entry.wrenches, 6, entry.rows);
    };
    const auto place = [&](const Entry& entry) {
        return 6 * owner.place_of_link[static_cast<std::size_t>(entry.link)];
    };
    Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6> answer;
    BlockMatrix coupling;
    for (std::size_t j = 0; j < owner.entries.size(); ++j) {
        const Entry& right = owner.entries[j];
        int answered = -1;
        for (std::size_t i = 0; i <= j; ++i) {
            const Entry& left = owner.entries[i];
            if (left.link < 0 || right.link < 0) {
                couple(left, right, dof);
                continue;
            }
            if (place(left) != answered) {  // entries of one link follow each other
                answered = place(left);
                answer.noalias() =
                    owner.omega.block<6, 6>(answered, place(right)).lazyProduct(wrenches(right));
            }
            coupling.noalias() = m_step * wrenches(left).transpose().lazyProduct(answer);
            add_coupling(left, right, coupling);
        }
    }
}

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <softcontact/world/contact_rows.hpp>
#include <softcontact/world/link_carrier.hpp>
#include <softcontact/world/tetrahedral_system.hpp>

namespace softcontact {

namespace {

using ConstColumns = Eigen::Map<const MatrixXd>;

/// Grows without giving memory back, so that a step as large as an earlier one does not allocate.
template <typename T>
std::size_t extend(std::vector<T>& pool, std::size_t count)
{
    const std::size_t offset = pool.size();
    pool.resize(offset + count, T(0));
    return offset;
}

}  // namespace

void ContactRows::reserve(std::size_t blocks, std::size_t rows)
{
    m_blocks.reserve(blocks);
    m_free_velocity.reserve(rows);
    m_prescribed.reserve(rows);
}

void ContactRows::begin_step(const Systems& systems, double step)
{
    m_step = step;
    m_systems = &systems;
    m_by_system.resize(systems.size());
    for (std::size_t s = 0; s < systems.size(); ++s) {
        auto& owner = m_by_system[s];
        owner.entries.clear();
        owner.links.clear();
        const Index dof = systems[s]->dof();
        if (owner.accumulated.size() != dof) {
            owner.accumulated.setZero(dof);
            owner.slot_of_node.assign(static_cast<std::size_t>(dof / 3 + 1), -1);
        }
    }
    m_blocks.clear();
    m_columns.clear();
    m_nodes.clear();
    m_responses.clear();
    m_free_velocity.clear();
    m_yields.clear();
    m_row_count = 0;
}

void ContactRows::begin_block(int rows)
{
    m_blocks.push_back({m_row_count, rows});
    m_row_count += rows;
    extend(m_free_velocity, static_cast<std::size_t>(rows));
}

void ContactRows::begin_side(const ContactSurface& surface, const Vector3d& reference, double sign)
{
    m_surface = &surface;
    m_sign = sign;
    m_reference = reference;
    m_force.setZero(3, m_blocks.back().rows);
    m_moment.setZero(3, m_blocks.back().rows);
}

ContactRows::Entry& ContactRows::entry_for(int system)
{
    auto& owner = m_by_system[static_cast<std::size_t>(system)];
    const int block = block_count() - 1;
    if (!owner.entries.empty() && owner.entries.back().block == block) {
        return owner.entries.back();
    }
    Entry entry;
    entry.block = block;
    entry.rows = m_blocks.back().rows;
    entry.nodes = m_nodes.size();
    entry.columns = m_columns.size();
    owner.entries.push_back(entry);
    return owner.entries.back();
}

void ContactRows::add_node(SystemEntries& owner, int node, const RowForces& directions)
{
    Entry& entry = owner.entries.back();
    int& slot = owner.slot_of_node[static_cast<std::size_t>(node)];
    const auto block_size = static_cast<std::size_t>(3 * entry.rows);
    if (slot < 0) {
        slot = entry.node_count++;
        m_nodes.push_back(node);
        extend(m_columns, block_size);
    }
    double* data = m_columns.data() + entry.columns + static_cast<std::size_t>(slot) * block_size;
    Eigen::Map<RowForces>(data, 3, entry.rows) += directions;
}

void ContactRows::add_point(const SurfacePoint& point, const Vector3d& position, const RowForces& directions)
{
    const ContactSurface& surface = *m_surface;
    const int rows = m_blocks.back().rows;
    if (surface.kind == ContactSurface::Kind::kinematic) {
        const Vector3d velocity = surface.prescribed_velocity(position, m_step);
        for (int row = 0; row < rows; ++row) {
            m_free_velocity[static_cast<std::size_t>(m_blocks.back().offset + row)] +=
                m_sign * directions.col(row).dot(velocity);
        }
        return;
    }
    if (surface.link_system >= 0) {
        const Vector3d arm = position - m_reference;
        for (int row = 0; row < rows; ++row) {
            m_force.col(row) += m_sign * directions.col(row);
            m_moment.col(row) += m_sign * arm.cross(directions.col(row));
        }
    }
    if (surface.field_system >= 0) {
        entry_for(surface.field_system);
        auto& owner = m_by_system[static_cast<std::size_t>(surface.field_system)];
        owner.field = surface.field;
        RowForces local = m_sign * directions;
        if (surface.link_system >= 0) {
            local = surface.carrier->link_pose(surface.link).rotation.transpose() * local;
        }
        for (int corner = 0; corner < 3; ++corner) {
            const double corner_weight = point.weights[corner];
            if (corner_weight == 0.0) {
                continue;
            }
            const int vertex = point.vertices[static_cast<std::size_t>(corner)];
            for (int k = 0; k < 4; ++k) {
                const double weight = corner_weight * surface.embedding.weights(k, vertex);
                if (weight != 0.0) {
                    add_node(owner, surface.embedding.nodes(k, vertex), weight * local);
                }
            }
        }
    }
}

void ContactRows::add_couple(const RowForces& moments)
{
    if (m_surface->link_system >= 0) {
        m_moment += m_sign * moments;
    }
}

void ContactRows::end_side()
{
    const ContactSurface& surface = *m_surface;
    const int rows = m_blocks.back().rows;
    if (surface.field_system >= 0) {
        auto& owner = m_by_system[static_cast<std::size_t>(surface.field_system)];
        if (!owner.entries.empty() && owner.entries.back().block == block_count() - 1) {
            const Entry& entry = owner.entries.back();
            for (int k = 0; k < entry.node_count; ++k) {
                owner.slot_of_node[static_cast<std::size_t>(
                    m_nodes[entry.nodes + static_cast<std::size_t>(k)])] = -1;
            }
        }
    }
    if (surface.link_system >= 0) {
        const Vector3d arm = m_reference - surface.carrier->link_pose(surface.link).translation;
        LinkRows::Wrenches wrenches(6, rows);
        for (int row = 0; row < rows; ++row) {
            const Vector3d force = m_force.col(row);
            wrenches.col(row).head<3>() = force;
            wrenches.col(row).tail<3>() = m_moment.col(row) + arm.cross(force);
        }
        m_by_system[static_cast<std::size_t>(surface.link_system)].links.add_wrenches(
            *surface.carrier, open_block(), surface.link, wrenches);
    }
    m_surface = nullptr;
}

void ContactRows::add_coordinate(int system, Index coordinate, double sign)
{
    m_by_system[static_cast<std::size_t>(system)].links.add_coordinate(open_block(), coordinate, sign);
}

void ContactRows::solve_system(std::size_t system)
{
    auto& owner = m_by_system[system];
    const TetrahedralSystem& body = *owner.field;
    const auto dof = static_cast<std::size_t>(body.dof());
    std::size_t rows = 0;
    for (const auto& entry : owner.entries) {
        rows += static_cast<std::size_t>(entry.rows);
    }
    const std::size_t begin = extend(m_responses, dof * rows);
    std::size_t offset = begin;
    for (auto& entry : owner.entries) {
        entry.responses = offset;
        Eigen::Map<MatrixXd> response(m_responses.data() + offset, body.dof(), entry.rows);
        const double* columns = m_columns.data() + entry.columns;
        for (int k = 0; k < entry.node_count; ++k) {
            const int node = m_nodes[entry.nodes + static_cast<std::size_t>(k)];
            response.middleRows<3>(3 * node) =
                Eigen::Map<const RowForces>(columns + 3 * k * entry.rows, 3, entry.rows);
        }
        offset += dof * static_cast<std::size_t>(entry.rows);
    }
    body.solve(Eigen::Map<MatrixXd>(m_responses.data() + begin, body.dof(), static_cast<Index>(rows)));
}

BlockMatrix ContactRows::compliance(const Entry& left, const Entry& right, Index dof) const
{
    const double* columns = m_columns.data() + left.columns;
    const double* responses = m_responses.data() + right.responses;
    BlockMatrix coupling = BlockMatrix::Zero(left.rows, right.rows);
    for (int k = 0; k < left.node_count; ++k) {
        const int node = m_nodes[left.nodes + static_cast<std::size_t>(k)];
        for (int i = 0; i < left.rows; ++i) {
            const Eigen::Map<const Vector3d> force(columns + 3 * (k * left.rows + i));
            for (int j = 0; j < right.rows; ++j) {
                coupling(i, j) += force.dot(Eigen::Map<const Vector3d>(responses + j * dof + 3 * node));
            }
        }
    }
    return m_step * coupling;
}

void ContactRows::couple(const Entry& left, const Entry& right, Index dof)
{
    const BlockMatrix coupling = compliance(left, right, dof);
    m_delassus.block(left.block, right.block) += coupling;
    if (left.block != right.block) {
        m_delassus.block(right.block, left.block) += coupling.transpose();
    }
}

void ContactRows::set_pattern()
{
    if (m_coupled.size() < m_blocks.size()) {
        m_coupled.resize(m_blocks.size());
    }
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
        m_coupled[b].assign(1, static_cast<int>(b));
    }
    for (const SystemEntries& owner : m_by_system) {
        for (const Entry& entry : owner.entries) {
            auto& coupled = m_coupled[static_cast<std::size_t>(entry.block)];
            for (const Entry& other : owner.entries) {
                coupled.push_back(other.block);
            }
        }
    }
    m_places.clear();
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
        m_places.emplace_back(m_blocks[b].offset, m_blocks[b].rows);
        std::sort(m_coupled[b].begin(), m_coupled[b].end());
        m_coupled[b].erase(std::unique(m_coupled[b].begin(), m_coupled[b].end()), m_coupled[b].end());
    }
    m_delassus.set_pattern(m_places, std::span<const std::vector<int>>(m_coupled.data(), m_blocks.size()));
}

void ContactRows::assemble()
{
    m_prescribed = m_free_velocity;
    renew_free_velocity();
    set_pattern();
    int motions = 0;
    for (std::size_t s = 0; s < m_by_system.size(); ++s) {
        SystemEntries& owner = m_by_system[s];
        if (!owner.links.entries().empty()) {
            const LinkCarrier& links = *(*m_systems)[s]->links();
            owner.links.prepare(links, m_step);
            owner.links.hand_motions(motions, m_delassus);
            motions += static_cast<int>(links.freedoms());
        }
        if (owner.entries.empty()) {
            continue;
        }
        solve_system(s);
        const Index dof = (*m_systems)[s]->dof();
        for (std::size_t i = 0; i < owner.entries.size(); ++i) {
            for (std::size_t j = i; j < owner.entries.size(); ++j) {
                couple(owner.entries[i], owner.entries[j], dof);
            }
        }
    }
    m_delassus.prepare(motions);
}

bool ContactRows::touched(int system, const Eigen::Ref<const VectorXd>& multipliers) const
{
    bool touched = false;
    for_each_block(m_by_system[static_cast<std::size_t>(system)], [&](int block) {
        touched = touched || !multipliers.segment(block_offset(block), block_rows(block)).isZero(0.0);
    });
    return touched;
}

void ContactRows::generalized_forces(int system, Eigen::Ref<MatrixXd> columns) const
{
    columns.setZero();
    m_by_system[static_cast<std::size_t>(system)].links.generalized_forces(columns);
}

void ContactRows::yield_last(int block, int rows, double share)
{
    const double compliance = share * m_delassus.own(block)(0, 0);
    const int end = block_rows(block);
    for (int row = end - rows; row < end; ++row) {
        m_delassus.yield(block, row, compliance);
        m_yields.push_back({block, row, compliance});
    }
}

Eigen::Map<const VectorXd> ContactRows::free_velocity() const
{
    return {m_free_velocity.data(), m_row_count};
}

double ContactRows::project(const Entry& entry, int row, const VectorXd& velocity) const
{
    const double* columns = m_columns.data() + entry.columns;
    double sum = 0.0;
    for (int k = 0; k < entry.node_count; ++k) {
        const int node = m_nodes[entry.nodes + static_cast<std::size_t>(k)];
        sum += Eigen::Map<const Vector3d>(columns + 3 * (k * entry.rows + row))
                   .dot(velocity.segment<3>(3 * node));
    }
    return sum;
}

template <typename Velocity>
void ContactRows::project_all(const Velocity& velocity, std::vector<double>& out) const
{
    for (std::size_t s = 0; s < m_by_system.size(); ++s) {
        if (!m_by_system[s].links.entries().empty()) {
            m_by_system[s].links.project(velocity(*(*m_systems)[s]), out);
        }
        for (const Entry& entry : m_by_system[s].entries) {
            const auto first =
                static_cast<std::size_t>(m_blocks[static_cast<std::size_t>(entry.block)].offset);
            for (int row = 0; row < entry.rows; ++row) {
                out[first + static_cast<std::size_t>(row)] += project(entry, row, velocity(*(*m_systems)[s]));
            }
        }
    }
}

void ContactRows::renew_free_velocity()
{
    m_free_velocity = m_prescribed;
    project_all([](const System& system) -> const VectorXd& { return system.free_velocity(); },
                m_free_velocity);
}

VectorXd ContactRows::start_velocity() const
{
    std::vector<double> velocity = m_prescribed;
    project_all([](const System& system) -> const VectorXd& { return system.velocity(); }, velocity);
    return Eigen::Map<const VectorXd>(velocity.data(), m_row_count);
}

VectorXd ContactRows::change_by(const std::vector<double>& multipliers) const
{
    std::vector<double> motion;
    m_delassus.gather(multipliers.data(), motion);
    VectorXd change(m_row_count);
    for (int block = 0; block < block_count(); ++block) {
        m_delassus.multiply(block, multipliers.data(), motion, change.data() + block_offset(block));
    }
    return change;
}

Eigen::Map<const VectorXd> ContactRows::response(int system, const Eigen::Ref<const VectorXd>& multipliers,
                                                 double scale)
{
    auto& owner = m_by_system[static_cast<std::size_t>(system)];
    owner.accumulated.setZero();
    if (!owner.links.entries().empty()) {
        owner.links.respond(*(*m_systems)[static_cast<std::size_t>(system)]->links(), multipliers,
                            owner.accumulated);
        owner.accumulated *= scale;
    }
    for (const auto& entry : owner.entries) {
        const Index offset = m_blocks[static_cast<std::size_t>(entry.block)].offset;
        const ConstColumns responses(m_responses.data() + entry.responses, owner.accumulated.size(),
                                     entry.rows);
        for (int row = 0; row < entry.rows; ++row) {
            if (multipliers[offset + row] != 0.0) {
                owner.accumulated += (scale * multipliers[offset + row]) * responses.col(row);
            }
        }
    }
    return {owner.accumulated.data(), owner.accumulated.size()};
}

}  // namespace softcontact

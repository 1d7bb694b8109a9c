// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/distance_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace softcontact {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A cell of the grid and the place in it, in [0, 1].
struct Place {
    std::array<Index, 3> cell;
    Vector3d local;
};

Place place_in(const DistanceTable& table, const Vector3d& scaled)
{
    Place place;
    for (std::size_t k = 0; k < 3; ++k) {
        const double at = scaled[static_cast<Index>(k)];
        place.cell[k] = std::min(static_cast<Index>(at), table.counts[k] - 2);
        place.local[static_cast<Index>(k)] = at - static_cast<double>(place.cell[k]);
    }
    return place;
}

/// Trilinear between the values at a cell's corners, and its derivatives along the unit cell's axes where
/// asked for.
double interpolate(const std::array<double, 8>& v, const Vector3d& local, Vector3d* slopes)
{
    const double x = local[0], y = local[1], z = local[2];
    const double v00 = v[0] + z * (v[1] - v[0]), v01 = v[2] + z * (v[3] - v[2]);
    const double v10 = v[4] + z * (v[5] - v[4]), v11 = v[6] + z * (v[7] - v[6]);
    const double low = v00 + y * (v01 - v00), high = v10 + y * (v11 - v10);
    if (slopes != nullptr) {
        const double rise_low = (v[1] - v[0]) + y * ((v[3] - v[2]) - (v[1] - v[0]));
        const double rise_high = (v[5] - v[4]) + y * ((v[7] - v[6]) - (v[5] - v[4]));
        *slopes = {high - low, (v01 - v00) + x * ((v11 - v10) - (v01 - v00)),
                   rise_low + x * (rise_high - rise_low)};
    }
    return low + x * (high - low);
}

/// Number of grid points.
Index check(const DistanceTable& table)
{
    Index points = 1;
    for (std::size_t k = 0; k < 3; ++k) {
        if (table.counts[k] < 2)
            throw std::invalid_argument("counts: expected two grid points or more an axis");
        const double spacing = table.spacing[static_cast<Index>(k)];
        if (!(spacing > 0.0 && std::isfinite(spacing))) {
            throw std::invalid_argument("spacing: expected finite lengths > 0");
        }
        points *= table.counts[k];
    }
    if (!table.origin.allFinite()) throw std::invalid_argument("origin: expected finite coordinates");
    return points;
}

}  // namespace

Index ContactRoom::size() const noexcept
{
    return static_cast<Index>(std::min({points.size(), depths.size(), normals.size()}));
}

DistanceField::DistanceField(const DistanceTable& table) : m_table(table)
{
    const Index points = check(table);
    const auto values = static_cast<Index>(table.values.size());
    if (values == 0 || values % points != 0) {
        throw std::invalid_argument("values: " + std::to_string(values) + " distances, expected " +
                                    std::to_string(points) + " a state");
    }
    for (const float value : table.values) {
        if (!std::isfinite(value)) throw std::invalid_argument("values: a distance is not finite");
        m_error = std::max(m_error, static_cast<double>(std::abs(value)));
    }
    m_error *= static_cast<double>(std::numeric_limits<float>::epsilon());
    prepare(values / points);
    for (Index state = 0; state < state_count(); ++state)
        mark_cells(state, table.values.data() + state * points);
}

DistanceField::DistanceField(const SeparatedTable& table)
    : m_table{table.origin, table.spacing, table.counts, {}}, m_separated(table), m_error(table.bound)
{
    std::vector<float> values(static_cast<std::size_t>(check(m_table)));
    prepare(m_separated->state_count());
    for (Index state = 0; state < state_count(); ++state) {
        m_separated->expand(state, values);
        mark_cells(state, values.data());
    }
}

void DistanceField::prepare(Index states)
{
    m_scale = m_table.spacing.cwiseInverse();
    Index cells = 1;
    for (std::size_t k = 0; k < 3; ++k) {
        m_cells[k] = m_table.counts[k] - 1;
        m_last[static_cast<Index>(k)] = static_cast<double>(m_cells[k]);
        cells *= m_cells[k];
    }
    m_words = (cells + 63) / 64;
    m_bits.assign(static_cast<std::size_t>(states * m_words), 0);
    m_boxes.resize(static_cast<std::size_t>(states));
}

void DistanceField::mark_cells(Index state, const float* values)
{
    const Index ny = m_table.counts[1], nz = m_table.counts[2];
    Eigen::Array3d lower = Eigen::Array3d::Constant(std::numeric_limits<double>::infinity());
    Eigen::Array3d upper = -lower;
    for (Index i = 0; i < m_cells[0]; ++i) {
        for (Index j = 0; j < m_cells[1]; ++j) {
            const float* rows[4] = {values + (i * ny + j) * nz, values + (i * ny + j + 1) * nz,
                                    values + ((i + 1) * ny + j) * nz, values + ((i + 1) * ny + j + 1) * nz};
            for (Index k = 0; k < m_cells[2]; ++k) {
                const bool inside = std::any_of(std::begin(rows), std::end(rows), [k](const float* row) {
                    return row[k] < 0.0F || row[k + 1] < 0.0F;
                });
                if (!inside) continue;
                const Index cell = (i * m_cells[1] + j) * m_cells[2] + k;
                m_bits[static_cast<std::size_t>(state * m_words + cell / 64)] |= std::uint64_t{1}
                                                                                 << (cell % 64);
                const Eigen::Array3d at(static_cast<double>(i), static_cast<double>(j),
                                        static_cast<double>(k));
                lower = lower.min(at);
                upper = upper.max(at + 1.0);
            }
        }
    }
    // The outermost cells also answer for what lies beyond them.
    for (std::size_t k = 0; k < 3; ++k) {
        const auto axis = static_cast<Index>(k);
        if (lower[axis] == 0.0) lower[axis] = std::numeric_limits<double>::lowest();
        if (upper[axis] == static_cast<double>(m_cells[k])) upper[axis] = std::numeric_limits<double>::max();
    }
    m_boxes[static_cast<std::size_t>(state)] = {lower, upper};
}

bool DistanceField::has(const DistanceState& state) const noexcept
{
    return state.table >= 0 && state.table < state_count() && state.share >= 0.0 && state.share <= 1.0 &&
           (state.share == 0.0 || (state.other >= 0 && state.other < state_count()));
}

bool DistanceField::may_be_inside(Index state, Index cell) const noexcept
{
    return (m_bits[static_cast<std::size_t>(state * m_words + cell / 64)] >> (cell % 64)) & 1;
}

DistanceField::Corners DistanceField::corners(Index table, const std::array<Index, 3>& cell) const noexcept
{
    const auto [i, j, k] = cell;
    Corners out;
    if (m_separated) {
        for (Index c = 0; c < 8; ++c) {
            out[static_cast<std::size_t>(c)] =
                m_separated->value(table, i + (c >> 2), j + ((c >> 1) & 1), k + (c & 1));
        }
        return out;
    }
    const auto [nx, ny, nz] = m_table.counts;
    const float* value = m_table.values.data() + (((table * nx + i) * ny + j) * nz + k);
    const float* next = value + ny * nz;
    return {value[0], value[1], value[nz], value[nz + 1], next[0], next[1], next[nz], next[nz + 1]};
}

DistanceField::Corners DistanceField::corners(const DistanceState& state,
                                              const std::array<Index, 3>& cell) const noexcept
{
    Corners out = corners(state.table, cell);
    if (state.share == 0.0) return out;
    const Corners others = corners(state.other, cell);
    for (std::size_t c = 0; c < 8; ++c) out[c] += state.share * (others[c] - out[c]);
    return out;
}

double DistanceField::evaluate(const Vector3d& scaled, const Vector3d& clamped, const DistanceState& state,
                               Vector3d* gradient) const noexcept
{
    const Place place = place_in(m_table, clamped);
    const double found = interpolate(corners(state, place.cell), place.local, gradient);
    if (gradient != nullptr) *gradient = gradient->cwiseProduct(m_scale);
    if (clamped == scaled) return found;
    const Vector3d beyond = (scaled - clamped).cwiseProduct(m_table.spacing);
    const double far = beyond.norm();
    if (gradient != nullptr) {
        for (Index k = 0; k < 3; ++k) {
            if (beyond[k] != 0.0) (*gradient)[k] = beyond[k] / far;
        }
    }
    return found + far;
}

double DistanceField::distance(const Vector3d& point, const DistanceState& state,
                               Vector3d* gradient) const noexcept
{
    if (!has(state) || !point.allFinite()) {
        if (gradient != nullptr) gradient->setConstant(nan);
        return nan;
    }
    const Vector3d scaled = (point - m_table.origin).cwiseProduct(m_scale);
    return evaluate(scaled, scaled.cwiseMax(0.0).cwiseMin(m_last), state, gradient);
}

DistanceField::Bound DistanceField::bound(const Vector3d& point, const DistanceState& state) const noexcept
{
    const Vector3d scaled = (point - m_table.origin).cwiseProduct(m_scale);
    const Vector3d clamped = scaled.cwiseMax(0.0).cwiseMin(m_last);
    const Place place = place_in(m_table, clamped);
    double found = interpolate(corners(state.table, place.cell), place.local, nullptr);
    if (state.share > 0.0) {
        found = std::min(found, interpolate(corners(state.other, place.cell), place.local, nullptr));
    }
    const auto f = place.local.array();
    const double error = std::sqrt((m_table.spacing.array().square() * f * (1.0 - f)).sum());
    // beyond the grid: the nearest point of it is as far off as a distance may differ
    return {found, m_error + error + (scaled - clamped).cwiseProduct(m_table.spacing).norm()};
}

Index DistanceField::contacts(const Eigen::Ref<const Points>& points, const DistanceState& state,
                              const ContactRoom& room) const noexcept
{
    if (!has(state)) return 0;
    CellBox box = m_boxes[static_cast<std::size_t>(state.table)];
    const bool blended = state.share > 0.0;
    if (blended) {
        const CellBox& other = m_boxes[static_cast<std::size_t>(state.other)];
        box = {box.lower.min(other.lower), box.upper.max(other.upper)};
    }
    const Index capacity = room.size();
    Index count = 0;
    for (Index i = 0; i < points.cols(); ++i) {
        const Vector3d scaled = (points.col(i) - m_table.origin).cwiseProduct(m_scale);
        // NaN fails every comparison
        const bool near = scaled[0] >= box.lower[0] && scaled[0] < box.upper[0] &&
                          scaled[1] >= box.lower[1] && scaled[1] < box.upper[1] &&
                          scaled[2] >= box.lower[2] && scaled[2] < box.upper[2];
        if (!near) continue;
        const Vector3d clamped = scaled.cwiseMax(0.0).cwiseMin(m_last);
        const auto cell_at = place_in(m_table, clamped).cell;
        const Index cell = (cell_at[0] * m_cells[1] + cell_at[1]) * m_cells[2] + cell_at[2];
        if (!may_be_inside(state.table, cell) && !(blended && may_be_inside(state.other, cell))) continue;
        Vector3d gradient;
        const double found = evaluate(scaled, clamped, state, &gradient);
        if (!(found < 0.0)) continue;
        if (count < capacity) {
            const double length = gradient.norm();
            const auto at = static_cast<std::size_t>(count);
            room.points[at] = i;
            room.depths[at] = -found;
            room.normals[at] = length > 0.0 ? Vector3d(gradient / length) : Vector3d::Zero();
        }
        ++count;
    }
    return count;
}

}  // namespace softcontact

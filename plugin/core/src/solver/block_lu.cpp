// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/block_lu.hpp"

#include <algorithm>
#include <set>

namespace softcontact {

namespace {

using Block = Eigen::Map<MatrixXd>;
using ConstBlock = Eigen::Map<const MatrixXd>;
using Six = Eigen::Matrix<double, 6, 6>;

/// c -= a b. Most bodies have six freedoms.
void subtract_product(const double* a, const double* b, double* c, int rows, int inner, int columns)
{
    if (rows == 6 && inner == 6 && columns == 6) {
        Eigen::Map<Six>(c).noalias() -= Eigen::Map<const Six>(a).lazyProduct(Eigen::Map<const Six>(b));
        return;
    }
    Block(c, rows, columns).noalias() -= ConstBlock(a, rows, inner) * ConstBlock(b, inner, columns);
}

/// y -= a x, and x = a x.
void subtract_applied(const double* a, const double* x, double* y, int rows, int columns)
{
    if (rows == 6 && columns == 6) {
        Eigen::Map<Vector6d>(y).noalias() -=
            Eigen::Map<const Six>(a).lazyProduct(Eigen::Map<const Vector6d>(x));
        return;
    }
    Eigen::Map<VectorXd>(y, rows).noalias() -=
        ConstBlock(a, rows, columns) * Eigen::Map<const VectorXd>(x, columns);
}

/// Bodies with more freedoms than this are not inverted: an LU costs a third, and solves as fast.
constexpr int most_inverted = 12;

/// Whether a column is that of the identity, as rows of open contacts have it.
bool is_unit(const ConstBlock& matrix, Index column)
{
    return matrix(column, column) == 1.0 && matrix.col(column).head(column).isZero(0.0) &&
           matrix.col(column).tail(matrix.rows() - column - 1).isZero(0.0);
}

}  // namespace

bool BlockLu::factor_pivot(Column& column, int size)
{
    Block block(m_values.data() + column.pivot, size, size);
    if (size == 6) {
        Eigen::Map<Six> six(block.data());
        six = Eigen::PartialPivLU<Six>(six).inverse().eval();
    } else if (size <= most_inverted) {
        block = Eigen::PartialPivLU<MatrixXd>(block).inverse().eval();
    } else {
        column.active.clear();
        for (int i = 0; i < size; ++i) {
            if (!is_unit(ConstBlock(block.data(), size, size), i)) column.active.push_back(i);
        }
        column.lu.compute(block(column.active, column.active));
        const auto& lu = column.lu.matrixLU();
        return lu.allFinite() && !(lu.diagonal().array() == 0.0).any();
    }
    return block.allFinite();
}

/// row ← pivot⁻¹ row, of a vector as well.
void BlockLu::divide_row(const Column& column, double* row, int size, int columns) const
{
    const double* inverse = m_values.data() + column.pivot;
    if (size == 6 && columns == 6) {
        Eigen::Map<Six> own(row);
        own = Six(Eigen::Map<const Six>(inverse).lazyProduct(own));
    } else if (size == 6 && columns == 1) {
        Eigen::Map<Vector6d> own(row);
        own = Vector6d(Eigen::Map<const Six>(inverse) * own);
    } else {
        Block own(row, size, columns);
        const ConstBlock pivot(inverse, size, size);
        if (size <= most_inverted) {
            own = MatrixXd(pivot * own);
            return;
        }
        const MatrixXd solved = column.lu.solve(own(column.active, Eigen::all));
        const MatrixXd closed = pivot(Eigen::all, column.active);
        own.noalias() -= closed * solved;
        own(column.active, Eigen::all) = solved;
    }
}

int BlockLu::size_at(int place) const
{
    return m_sizes[static_cast<std::size_t>(m_columns[static_cast<std::size_t>(place)].body)];
}

void BlockLu::order(std::span<const std::pair<int, int>> pairs)
{
    const std::size_t count = m_sizes.size();
    std::vector<std::set<int>> beside(count);
    for (const auto& [i, j] : pairs) {
        beside[static_cast<std::size_t>(i)].insert(j);
        beside[static_cast<std::size_t>(j)].insert(i);
    }
    const auto degree = [&](std::size_t body) {
        Index sum = 0;
        for (const int other : beside[body]) {
            sum += m_sizes[static_cast<std::size_t>(other)];
        }
        return sum;
    };
    std::set<std::pair<Index, int>> waiting;
    std::vector<Index> degrees(count);
    for (std::size_t i = 0; i < count; ++i) {
        degrees[i] = degree(i);
        waiting.emplace(degrees[i], static_cast<int>(i));
    }
    m_columns.assign(count, Column());
    m_place.assign(count, -1);
    for (std::size_t k = 0; k < count; ++k) {
        const int body = waiting.begin()->second;
        waiting.erase(waiting.begin());
        const auto index = static_cast<std::size_t>(body);
        m_place[index] = static_cast<int>(k);
        m_columns[k].body = body;
        m_columns[k].later.assign(beside[index].begin(), beside[index].end());  // bodies for now
        for (const int i : beside[index]) {
            auto& of = beside[static_cast<std::size_t>(i)];
            of.insert(beside[index].begin(), beside[index].end());
            of.erase(i);
            of.erase(body);
        }
        for (const int i : beside[index]) {
            const auto other = static_cast<std::size_t>(i);
            waiting.erase({degrees[other], i});
            degrees[other] = degree(other);
            waiting.emplace(degrees[other], i);
        }
    }
    for (Column& column : m_columns) {
        for (int& body : column.later) {
            body = m_place[static_cast<std::size_t>(body)];
        }
        std::sort(column.later.begin(), column.later.end());
    }
}

void BlockLu::set_pattern(std::span<const int> sizes, std::span<const std::pair<int, int>> pairs)
{
    m_sizes.assign(sizes.begin(), sizes.end());
    m_first.clear();
    m_size = 0;
    for (const int size : sizes) {
        m_first.push_back(static_cast<int>(m_size));
        m_size += size;
    }
    order(pairs);
    std::size_t next = 0;
    const auto take = [&next](int rows, int columns) {
        const std::size_t offset = next;
        next += static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
        return offset;
    };
    for (std::size_t k = 0; k < m_columns.size(); ++k) {
        Column& column = m_columns[k];
        const int own = size_at(static_cast<int>(k));
        column.pivot = take(own, own);
        for (const int place : column.later) {
            column.row.push_back(take(own, size_at(place)));
            column.column.push_back(take(size_at(place), own));
        }
    }
    m_values.resize(next);
}

void BlockLu::set_identity()
{
    std::fill(m_values.begin(), m_values.end(), 0.0);
    for (std::size_t k = 0; k < m_columns.size(); ++k) {
        const int own = size_at(static_cast<int>(k));
        Block(m_values.data() + m_columns[k].pivot, own, own).setIdentity();
    }
}

std::size_t BlockLu::find(int i, int j) const
{
    const Column& column = m_columns[static_cast<std::size_t>(std::min(i, j))];
    if (i == j) {
        return column.pivot;
    }
    const auto found = std::lower_bound(column.later.begin(), column.later.end(), std::max(i, j));
    const auto at = static_cast<std::size_t>(found - column.later.begin());
    return i < j ? column.row[at] : column.column[at];
}

Eigen::Map<MatrixXd> BlockLu::block(int i, int j)
{
    const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
    return {m_values.data() + find(m_place[row], m_place[column]), m_sizes[row], m_sizes[column]};
}

bool BlockLu::factor()
{
    for (std::size_t k = 0; k < m_columns.size(); ++k) {
        Column& column = m_columns[k];
        const int own = size_at(static_cast<int>(k));
        if (!factor_pivot(column, own)) {
            return false;
        }
        for (std::size_t j = 0; j < column.later.size(); ++j) {
            divide_row(column, m_values.data() + column.row[j], own, size_at(column.later[j]));
        }
        for (std::size_t i = 0; i < column.later.size(); ++i) {
            for (std::size_t j = 0; j < column.later.size(); ++j) {
                subtract_product(m_values.data() + column.column[i], m_values.data() + column.row[j],
                                 m_values.data() + find(column.later[i], column.later[j]),
                                 size_at(column.later[i]), own, size_at(column.later[j]));
            }
        }
    }
    return true;
}

void BlockLu::solve(VectorXd& x) const
{
    const auto of = [&](int place) {
        const auto body = static_cast<std::size_t>(m_columns[static_cast<std::size_t>(place)].body);
        return x.data() + m_first[body];
    };
    for (std::size_t k = 0; k < m_columns.size(); ++k) {
        const Column& column = m_columns[k];
        const int size = size_at(static_cast<int>(k));
        double* own = of(static_cast<int>(k));
        divide_row(column, own, size, 1);
        for (std::size_t i = 0; i < column.later.size(); ++i) {
            subtract_applied(m_values.data() + column.column[i], own, of(column.later[i]),
                             size_at(column.later[i]), size);
        }
    }
    for (std::size_t k = m_columns.size(); k-- > 0;) {
        const Column& column = m_columns[k];
        for (std::size_t j = 0; j < column.later.size(); ++j) {
            subtract_applied(m_values.data() + column.row[j], of(column.later[j]), of(static_cast<int>(k)),
                             size_at(static_cast<int>(k)), size_at(column.later[j]));
        }
    }
}

}  // namespace softcontact

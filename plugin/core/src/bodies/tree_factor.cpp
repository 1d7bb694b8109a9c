// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/bodies/tree_factor.hpp"

#include <cmath>

namespace softcontact {

TreeFactor::TreeFactor(const ArticulatedModel& model)
{
    for (int link = 0; link < model.link_count(); ++link) {
        int carrier = model.link(link).parent;
        while (carrier >= 0 && model.dofs(carrier) == 0) {
            carrier = model.link(carrier).parent;
        }
        int above = carrier < 0 ? -1 : model.v_offset(carrier) + model.dofs(carrier) - 1;
        for (int k = 0; k < model.dofs(link); ++k) {
            const Row parent = above < 0 ? Row{} : m_rows[static_cast<std::size_t>(above)];
            const std::size_t first = m_ancestors.size();
            for (int a = 0; a < parent.length; ++a) {
                m_ancestors.push_back(m_ancestors[parent.first + static_cast<std::size_t>(a)]);
            }
            above = model.v_offset(link) + k;
            m_ancestors.push_back(above);
            m_rows.push_back({first, parent.length + 1});
        }
    }
    m_values.resize(m_ancestors.size());
    m_inverse.resize(m_rows.size());
}

bool TreeFactor::factor(const MatrixXd& A)
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row& row = m_rows[i];
        for (int a = 0; a < row.length; ++a) {
            const std::size_t at = row.first + static_cast<std::size_t>(a);
            m_values[at] = A(static_cast<Index>(i), m_ancestors[at]);
        }
    }
    for (std::size_t k = m_rows.size(); k-- > 0;) {
        const int last = m_rows[k].length - 1;
        double* row = m_values.data() + m_rows[k].first;
        if (!(row[last] > 0.0) || !std::isfinite(row[last])) {
            return false;
        }
        row[last] = std::sqrt(row[last]);
        m_inverse[k] = 1.0 / row[last];
        for (int a = 0; a < last; ++a) {
            row[a] *= m_inverse[k];
        }
        const int* ancestors = m_ancestors.data() + m_rows[k].first;
        for (int a = 0; a < last; ++a) {
            double* above = m_values.data() + m_rows[static_cast<std::size_t>(ancestors[a])].first;
            for (int b = 0; b <= a; ++b) {
                above[b] -= row[a] * row[b];
            }
        }
    }
    return true;
}

void TreeFactor::solve_transposed(double* x) const
{
    for (std::size_t i = m_rows.size(); i-- > 0;) {
        if (x[i] == 0.0) {
            continue;
        }
        x[i] *= m_inverse[i];
        const double* row = m_values.data() + m_rows[i].first;
        const int* ancestors = m_ancestors.data() + m_rows[i].first;
        for (int a = 0; a + 1 < m_rows[i].length; ++a) {
            x[ancestors[a]] -= row[a] * x[i];
        }
    }
}

void TreeFactor::solve_lower(double* x) const
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const double* row = m_values.data() + m_rows[i].first;
        const int* ancestors = m_ancestors.data() + m_rows[i].first;
        double sum = x[i];
        for (int a = 0; a + 1 < m_rows[i].length; ++a) {
            sum -= row[a] * x[ancestors[a]];
        }
        x[i] = sum * m_inverse[i];
    }
}

}  // namespace softcontact

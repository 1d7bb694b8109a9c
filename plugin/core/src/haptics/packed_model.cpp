// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <softcontact/haptics/linear_contact_model.hpp>

namespace softcontact {

namespace {

/// Numbers go into a row of doubles one after the other.
class Writer {
public:
    explicit Writer(double* out) : m_out(out) {}
    template <typename T>
    void operator()(const T* values, Index count)
    {
        m_out = std::transform(values, values + count, m_out, [](T x) { return static_cast<double>(x); });
    }
    void operator()(double value) { *m_out++ = value; }
    [[nodiscard]] double* end() const { return m_out; }

private:
    double* m_out;
};

/// And out of it in the same order.
class Reader {
public:
    explicit Reader(const double* in) : m_in(in) {}
    template <typename T>
    void operator()(T* values, Index count)
    {
        std::transform(m_in, m_in + count, values, [](double x) { return static_cast<T>(x); });
        m_in += count;
    }
    void operator()(double& value) { value = *m_in++; }
    [[nodiscard]] const double* end() const { return m_in; }

private:
    const double* m_in;
};

constexpr Index per_row = 10;     // H, diagonal, λ, w, active
constexpr Index per_contact = 8;  // μ, normal force, state, slip, last, has last
constexpr Index extra_columns = 7;

}  // namespace

Index ContactTableau::packed_size(int contacts)
{
    const Index rows = 3 * static_cast<Index>(contacts);
    return 1 + rows * (rows + extra_columns) + per_row * rows + per_contact * contacts;
}

double* ContactTableau::pack(double* out) const
{
    Writer write(out);
    write(static_cast<double>(m_contacts));
    write(m_table.data(), static_cast<Index>(m_rows) * m_stride);
    write(m_h.data(), 6 * static_cast<Index>(m_rows));
    for (const auto* values : {&m_diagonal, &m_force, &m_displacement}) {
        write(values->data(), m_rows);
    }
    write(m_active.data(), m_rows);
    write(m_friction.data(), m_contacts);
    write(m_normal.data(), m_contacts);
    for (int c = 0; c < m_contacts; ++c) {
        const auto i = static_cast<std::size_t>(c);
        write(static_cast<double>(m_state[i]));
        write(m_slip[i].data(), 2);
        write(m_last[i].data(), 2);
        write(static_cast<double>(m_has_last[i]));
    }
    return write.end();
}

bool ContactTableau::unpack(const double* in, Index count) noexcept
{
    begin(0);
    const double contacts = count > 0 ? in[0] : -1.0;
    if (!(contacts >= 0.0 && contacts <= m_capacity) || contacts != static_cast<int>(contacts) ||
        count != packed_size(static_cast<int>(contacts))) {
        return false;
    }
    begin(static_cast<int>(contacts));
    Reader read(in + 1);
    read(m_table.data(), static_cast<Index>(m_rows) * m_stride);
    read(m_h.data(), 6 * static_cast<Index>(m_rows));
    for (auto* values : {&m_diagonal, &m_force, &m_displacement}) {
        read(values->data(), m_rows);
    }
    read(m_active.data(), m_rows);
    read(m_friction.data(), m_contacts);
    read(m_normal.data(), m_contacts);
    for (int c = 0; c < m_contacts; ++c) {
        const auto i = static_cast<std::size_t>(c);
        double state = 0.0, has_last = 0.0;
        read(state);
        read(m_slip[i].data(), 2);
        read(m_last[i].data(), 2);
        read(has_last);
        m_state[i] =
            static_cast<State>(std::clamp(static_cast<int>(state), 0, static_cast<int>(State::slide)));
        m_has_last[i] = has_last != 0.0 ? 1 : 0;
    }
    return true;
}

void LinearContactModel::pack(double* out) const
{
    Writer write(out);
    write(static_cast<double>(sequence));
    for (const double value : {time, published, step, fast_step}) {
        write(value);
    }
    write(reference.position.data(), 3);
    write(reference.orientation.coeffs().data(), 4);
    write(centre.data(), 3);
    for (const Vector6d* vector : {&offset, &free_force, &contact}) {
        write(vector->data(), 6);
    }
    write(gain.data(), 36);
    write(system.data(), 36);
    rows.pack(write.end());
}

bool LinearContactModel::unpack(const double* in, Index count) noexcept
{
    sequence = 0;
    if (count < fixed_numbers || !rows.unpack(in + fixed_numbers, count - fixed_numbers)) {
        return false;
    }
    Reader read(in);
    double number = 0.0;
    read(number);
    sequence = static_cast<std::uint64_t>(std::max(number, 0.0));
    for (double* value : {&time, &published, &step, &fast_step}) {
        read(*value);
    }
    read(reference.position.data(), 3);
    read(reference.orientation.coeffs().data(), 4);
    read(centre.data(), 3);
    for (Vector6d* vector : {&offset, &free_force, &contact}) {
        read(vector->data(), 6);
    }
    read(gain.data(), 36);
    read(system.data(), 36);
    return true;
}

}  // namespace softcontact

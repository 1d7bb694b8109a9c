// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstring>

// Code on several numbers at once: written once for any width of register, compiled for each of them, and
// the processor is asked which to take. Functions of SOFTCONTACT_AVX2 and _AVX512 may be called only as
// register_width() says.
#if defined(__GNUC__) && defined(__x86_64__)
#define SOFTCONTACT_WIDE 1
#define SOFTCONTACT_AVX2 [[gnu::target("avx2")]]
#define SOFTCONTACT_AVX512 [[gnu::target("avx512f,avx512dq,avx512vl")]]
#else
#define SOFTCONTACT_WIDE 0
#endif
#if defined(__GNUC__)
#define SOFTCONTACT_INLINE [[gnu::always_inline]] inline
#else
#define SOFTCONTACT_INLINE inline
#endif

namespace softcontact::simd {

/// `width` numbers in one register. Nothing is contracted or reordered, so that all widths agree.
template <int width>
struct Lanes;

#if defined(__GNUC__)
template <int width>
struct RegisterOf;
template <>
struct RegisterOf<2> {
    typedef double type __attribute__((vector_size(16)));
};
template <>
struct RegisterOf<4> {
    typedef double type __attribute__((vector_size(32)));
};
template <>
struct RegisterOf<8> {
    typedef double type __attribute__((vector_size(64)));
};

template <int width>
struct Lanes {
    using Register = typename RegisterOf<width>::type;
    static_assert(sizeof(Register) == width * sizeof(double));
    Register values;

    SOFTCONTACT_INLINE static Lanes load(const double* from)
    {
        Lanes out;
        std::memcpy(&out.values, from, sizeof(Register));
        return out;
    }
    SOFTCONTACT_INLINE static Lanes all(double value) { return {Register{} + value}; }
    SOFTCONTACT_INLINE void store(double* to) const { std::memcpy(to, &values, sizeof(Register)); }
    SOFTCONTACT_INLINE friend Lanes operator+(const Lanes& a, const Lanes& b)
    {
        return {a.values + b.values};
    }
    SOFTCONTACT_INLINE friend Lanes operator-(const Lanes& a, const Lanes& b)
    {
        return {a.values - b.values};
    }
    SOFTCONTACT_INLINE friend Lanes operator*(const Lanes& a, const Lanes& b)
    {
        return {a.values * b.values};
    }
    SOFTCONTACT_INLINE friend Lanes operator/(const Lanes& a, const Lanes& b)
    {
        return {a.values / b.values};
    }
    SOFTCONTACT_INLINE friend Lanes least(const Lanes& a, const Lanes& b)
    {
        return {a.values < b.values ? a.values : b.values};
    }
    SOFTCONTACT_INLINE friend Lanes most(const Lanes& a, const Lanes& b)
    {
        return {a.values > b.values ? a.values : b.values};
    }
    /// `yes` where x > 0.
    SOFTCONTACT_INLINE friend Lanes where_positive(const Lanes& x, const Lanes& yes, const Lanes& no)
    {
        return {x.values > 0.0 ? yes.values : no.values};
    }
};
#endif

/// One number after the other, where the compiler has no registers of several.
template <>
struct Lanes<1> {
    double value;

    SOFTCONTACT_INLINE static Lanes load(const double* from) { return {*from}; }
    SOFTCONTACT_INLINE static Lanes all(double value) { return {value}; }
    SOFTCONTACT_INLINE void store(double* to) const { *to = value; }
    SOFTCONTACT_INLINE friend Lanes operator+(Lanes a, Lanes b) { return {a.value + b.value}; }
    SOFTCONTACT_INLINE friend Lanes operator-(Lanes a, Lanes b) { return {a.value - b.value}; }
    SOFTCONTACT_INLINE friend Lanes operator*(Lanes a, Lanes b) { return {a.value * b.value}; }
    SOFTCONTACT_INLINE friend Lanes operator/(Lanes a, Lanes b) { return {a.value / b.value}; }
    SOFTCONTACT_INLINE friend Lanes least(Lanes a, Lanes b)
    {
        return {a.value < b.value ? a.value : b.value};
    }
    SOFTCONTACT_INLINE friend Lanes most(Lanes a, Lanes b) { return {a.value > b.value ? a.value : b.value}; }
    SOFTCONTACT_INLINE friend Lanes where_positive(Lanes x, Lanes yes, Lanes no)
    {
        return x.value > 0.0 ? yes : no;
    }
};

#if defined(__GNUC__)
inline constexpr int usual_width = 2;
#else
inline constexpr int usual_width = 1;
#endif

/// Numbers that a register of this processor holds.
inline int register_width()
{
#if SOFTCONTACT_WIDE
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        return 8;
    }
    if (__builtin_cpu_supports("avx2")) return 4;
#endif
    return usual_width;
}

}  // namespace softcontact::simd

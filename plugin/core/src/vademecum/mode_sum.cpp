// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/mode_sum.hpp"

#include "softcontact/simd/lanes.hpp"

namespace softcontact {

namespace {

using simd::Lanes;

constexpr int strands = 8;  // numbers summed up side by side, whatever registers hold

template <int width>
SOFTCONTACT_INLINE void sum(const double* modes, const double* amplitudes, Index count, double* out)
{
    using L = Lanes<width>;
    constexpr int parts = strands / width;
    for (int c = 0; c < 3; ++c, modes += count) {
        L sums[parts];
        for (int p = 0; p < parts; ++p) sums[p] = L::all(0.0);
        Index k = 0;
        for (; k + strands <= count; k += strands) {
            for (int p = 0; p < parts; ++p) {
                sums[p] = sums[p] + L::load(modes + k + p * width) * L::load(amplitudes + k + p * width);
            }
        }
        alignas(64) double strand[strands];
        for (int p = 0; p < parts; ++p) sums[p].store(strand + p * width);
        for (int j = 0; k < count; ++k, ++j) strand[j] += modes[k] * amplitudes[k];
        out[c] = ((strand[0] + strand[1]) + (strand[2] + strand[3])) +
                 ((strand[4] + strand[5]) + (strand[6] + strand[7]));
    }
}

using Sum = void (*)(const double*, const double*, Index, double*);

#if SOFTCONTACT_WIDE
SOFTCONTACT_AVX512 void sum_512(const double* modes, const double* amplitudes, Index count, double* out)
{
    sum<8>(modes, amplitudes, count, out);
}
SOFTCONTACT_AVX2 void sum_256(const double* modes, const double* amplitudes, Index count, double* out)
{
    sum<4>(modes, amplitudes, count, out);
}
#endif

Sum choose()
{
#if SOFTCONTACT_WIDE
    if (simd::register_width() == 8) return sum_512;
    if (simd::register_width() == 4) return sum_256;
#endif
    return sum<simd::usual_width>;
}

const Sum chosen = choose();

}  // namespace

Vector3d sum_of_modes(const MatrixXd& modes, const VectorXd& amplitudes, Index node) noexcept
{
    Vector3d out;
    chosen(modes.data() + 3 * node * modes.rows(), amplitudes.data(), modes.rows(), out.data());
    return out;
}

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/triangle_pack.hpp"

#include "softcontact/simd/lanes.hpp"

namespace softcontact {

namespace {

using simd::Lanes;

template <int width>
struct Triple {
    Lanes<width> x, y, z;

    SOFTCONTACT_INLINE static Triple load(const PackedPoints& from, int lane)
    {
        return {Lanes<width>::load(from[0].data() + lane), Lanes<width>::load(from[1].data() + lane),
                Lanes<width>::load(from[2].data() + lane)};
    }
    SOFTCONTACT_INLINE friend Triple operator-(const Triple& a, const Triple& b)
    {
        return {a.x - b.x, a.y - b.y, a.z - b.z};
    }
    SOFTCONTACT_INLINE friend Triple operator*(const Lanes<width>& s, const Triple& a)
    {
        return {s * a.x, s * a.y, s * a.z};
    }
    SOFTCONTACT_INLINE friend Lanes<width> dot(const Triple& a, const Triple& b)
    {
        return a.x * b.x + a.y * b.y + a.z * b.z;
    }
};

template <int width>
SOFTCONTACT_INLINE PackNearest nearest(const TrianglePack& pack, const double* point)
{
    using L = Lanes<width>;
    const L zero = L::all(0.0), one = L::all(1.0);
    const Triple<width> p{L::all(point[0]), L::all(point[1]), L::all(point[2])};
    PackedNumbers squared;
    for (int k = 0; k < pack_size; k += width) {
        const auto u = Triple<width>::load(pack.first, k), v = Triple<width>::load(pack.second, k);
        const auto w = p - Triple<width>::load(pack.corner, k);
        const L uu = L::load(pack.first_squared.data() + k), vv = L::load(pack.second_squared.data() + k);
        const L uv = L::load(pack.together.data() + k);
        const L wu = dot(w, u), wv = dot(w, v);
        const auto share = [&](const L& along, const L& per) { return least(most(along * per, zero), one); };
        const auto to_first = w - share(wu, L::load(pack.per_first.data() + k)) * u;
        const auto to_second = w - share(wv, L::load(pack.per_second.data() + k)) * v;
        const auto third = v - u, beyond = w - u;
        const auto to_third =
            beyond - share((wv - wu) - (uv - uu), L::load(pack.per_third.data() + k)) * third;
        const L edges =
            least(least(dot(to_first, to_first), dot(to_second, to_second)), dot(to_third, to_third));
        const L per = L::load(pack.per_parallel.data() + k);
        const L s = (vv * wu - uv * wv) * per, t = (uu * wv - uv * wu) * per;
        const auto to_face = w - s * u - t * v;
        const L face = where_positive(least(least(s, t), one - s - t), dot(to_face, to_face), edges);
        least(face, edges).store(squared.data() + k);
    }
    const auto pick = [&](int a, int b) {
        return squared[static_cast<std::size_t>(b)] < squared[static_cast<std::size_t>(a)] ? b : a;
    };
    const int lane = pick(pick(pick(0, 1), pick(2, 3)), pick(pick(4, 5), pick(6, 7)));
    return {squared[static_cast<std::size_t>(lane)], lane};
}

template <int width>
SOFTCONTACT_INLINE void box_distances(const BoxPack& pack, const double* point, double* out)
{
    using L = Lanes<width>;
    const L zero = L::all(0.0);
    const Triple<width> p{L::all(point[0]), L::all(point[1]), L::all(point[2])};
    for (int k = 0; k < pack_size; k += width) {
        const auto below = Triple<width>::load(pack.lower, k) - p,
                   above = p - Triple<width>::load(pack.upper, k);
        const Triple<width> outside{most(most(below.x, above.x), zero), most(most(below.y, above.y), zero),
                                    most(most(below.z, above.z), zero)};
        dot(outside, outside).store(out + k);
    }
}

template <int width>
SOFTCONTACT_INLINE void complete(TrianglePack& pack)
{
    using L = Lanes<width>;
    const L zero = L::all(0.0), one = L::all(1.0);
    const auto inverse = [&](const L& x) { return where_positive(x, one / x, zero); };
    for (int k = 0; k < pack_size; k += width) {
        const auto u = Triple<width>::load(pack.first, k), v = Triple<width>::load(pack.second, k);
        const auto third = v - u;
        const L uu = dot(u, u), vv = dot(v, v);
        const Triple<width> across{u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
        uu.store(pack.first_squared.data() + k);
        vv.store(pack.second_squared.data() + k);
        dot(u, v).store(pack.together.data() + k);
        inverse(uu).store(pack.per_first.data() + k);
        inverse(vv).store(pack.per_second.data() + k);
        inverse(dot(third, third)).store(pack.per_third.data() + k);
        inverse(dot(across, across)).store(pack.per_parallel.data() + k);
    }
}

struct Kernels {
    PackNearest (*nearest)(const TrianglePack&, const double*);
    void (*boxes)(const BoxPack&, const double*, double*);
    void (*complete)(TrianglePack&);
};

#if SOFTCONTACT_WIDE
SOFTCONTACT_AVX512 PackNearest nearest_512(const TrianglePack& pack, const double* point)
{
    return nearest<8>(pack, point);
}
SOFTCONTACT_AVX2 PackNearest nearest_256(const TrianglePack& pack, const double* point)
{
    return nearest<4>(pack, point);
}
SOFTCONTACT_AVX512 void boxes_512(const BoxPack& pack, const double* point, double* out)
{
    box_distances<8>(pack, point, out);
}
SOFTCONTACT_AVX2 void boxes_256(const BoxPack& pack, const double* point, double* out)
{
    box_distances<4>(pack, point, out);
}
SOFTCONTACT_AVX512 void complete_512(TrianglePack& pack)
{
    complete<8>(pack);
}
SOFTCONTACT_AVX2 void complete_256(TrianglePack& pack)
{
    complete<4>(pack);
}
#endif

Kernels choose()
{
#if SOFTCONTACT_WIDE
    if (simd::register_width() == 8) return {nearest_512, boxes_512, complete_512};
    if (simd::register_width() == 4) return {nearest_256, boxes_256, complete_256};
#endif
    return {nearest<simd::usual_width>, box_distances<simd::usual_width>, complete<simd::usual_width>};
}

const Kernels kernels = choose();

}  // namespace

void TrianglePack::set(int lane, int number, const Vector3d& a, const Vector3d& b, const Vector3d& c)
{
    const auto l = static_cast<std::size_t>(lane);
    triangle[l] = number;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto i = static_cast<Index>(k);
        corner[k][l] = a[i];
        first[k][l] = b[i] - a[i];
        second[k][l] = c[i] - a[i];
    }
}

void TrianglePack::complete() noexcept
{
    kernels.complete(*this);
}

PackNearest nearest_of_pack(const TrianglePack& pack, const Vector3d& point) noexcept
{
    return kernels.nearest(pack, point.data());
}

void squared_distances(const BoxPack& pack, const Vector3d& point, PackedNumbers& out) noexcept
{
    kernels.boxes(pack, point.data(), out.data());
}

}  // namespace softcontact

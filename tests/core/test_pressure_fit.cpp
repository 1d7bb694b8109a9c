// SPDX-License-Identifier: LGPL-2.1-or-later
// Pressure that is fitted to a centre: inside the hull, on its corners and sides, beyond them; a turn of the
// axes and round-off in the centre must not show.
#undef NDEBUG
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <vector>

#include "softcontact/contact/pressure_profile.hpp"

using namespace softcontact;

namespace {

std::mt19937 random_numbers(5);

double one(double low, double high)
{
    return std::uniform_real_distribution<double>(low, high)(random_numbers);
}

/// A face: its corners on an ellipse, and points inside, with areas of very different size.
struct Face {
    static constexpr int corners = 6;
    std::vector<double> profile, offsets;

    Face()
    {
        const double narrow = std::pow(10.0, one(-2.0, 0.0));
        const auto add = [&](double t, double s) {
            profile.push_back(std::pow(10.0, one(-3.0, 0.0)));
            offsets.insert(offsets.end(), {0.02 * t, 0.02 * s * narrow});
        };
        for (int k = 0; k < corners; ++k) {
            const double angle = 2.0 * std::numbers::pi * (k + one(-0.2, 0.2)) / corners;
            add(std::cos(angle), std::sin(angle));
        }
        for (int k = 0; k < 20; ++k) {
            const double angle = one(0.0, 6.0), radius = one(0.0, 0.7);
            add(radius * std::cos(angle), radius * std::sin(angle));
        }
    }
    [[nodiscard]] Vector2d place(std::size_t i) const { return {offsets[2 * i], offsets[2 * i + 1]}; }
    [[nodiscard]] std::vector<double> shares(const Vector2d& centre) const
    {
        std::vector<double> out(profile.size());
        fit_pressure(profile, offsets, centre, out);
        return out;
    }
    [[nodiscard]] Vector2d centre_of(const std::vector<double>& shares) const
    {
        Vector2d centre = Vector2d::Zero();
        for (std::size_t i = 0; i < shares.size(); ++i) centre += shares[i] * place(i);
        return centre;
    }
};

constexpr double accuracy = 1e-6;

double difference(const std::vector<double>& x, const std::vector<double>& y)
{
    double most = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
    return most;
}

void a_centre_inside_is_kept()
{
    const Face face;
    const Vector2d wanted = 0.6 * face.place(0) + 0.2 * face.place(2) + 0.2 * face.place(4);
    assert((face.centre_of(face.shares(wanted)) - wanted).norm() < 1e-8 * face.place(0).norm());
}

void a_corner_bears_what_is_centred_on_it_or_beyond()
{
    const Face face;
    for (const double beyond : {0.0, 1e-16, 1e-12, 1e-9, -1e-16, -1e-12}) {
        const std::vector<double> shares = face.shares((1.0 + beyond) * face.place(1));
        assert(std::abs(shares[1] - 1.0) < accuracy);
        if (beyond == 0.0) assert(std::count(shares.begin(), shares.end(), 0.0) + 1 == std::ssize(shares));
    }
}

void a_side_bears_what_is_centred_on_it()
{
    const Face face;
    const Vector2d on_side = 0.3 * face.place(2) + 0.7 * face.place(3);
    for (const double beyond : {0.0, 1e-15, -1e-15, 1e-10}) {
        const std::vector<double> shares = face.shares((1.0 + beyond) * on_side);
        assert(std::abs(shares[2] - 0.3) < 1e-4 && std::abs(shares[3] - 0.7) < 1e-4);
    }
}

/// Tissue may be pressed where its profile has nothing any more.
void far_beyond_the_nearest_points_bear()
{
    const Face face;
    for (const double beyond : {1e-3, 0.1, 10.0, 1e6}) {
        const std::vector<double> shares = face.shares((1.0 + beyond) * face.place(1));
        double sum = 0.0;
        for (std::size_t i = 0; i < shares.size(); ++i) {
            assert(shares[i] >= 0.0 && (i < Face::corners || shares[i] < accuracy));
            sum += shares[i];
        }
        assert(std::abs(sum - 1.0) < accuracy && shares[1] > 0.1);
    }
}

/// Contacts on one corner, and a centre elsewhere.
void points_in_one_place_share_some_way()
{
    const int count = 1 + static_cast<int>(one(0.0, 4.0));
    const double spread = std::pow(10.0, one(-18.0, -6.0)), beside = std::pow(10.0, one(-14.0, -2.0));
    std::vector<double> profile, offsets, shares(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        profile.push_back(std::pow(10.0, one(-12.0, -4.0)));
        offsets.insert(offsets.end(), {0.05 + spread * one(-1.0, 1.0), spread * one(-1.0, 1.0)});
    }
    fit_pressure(profile, offsets, Vector2d(0.05 + beside * one(-1.0, 1.0), beside), shares);
    double sum = 0.0;
    for (const double share : shares) {
        assert(share >= 0.0);
        sum += share;
    }
    assert(std::abs(sum - 1.0) < accuracy);
}

void axes_and_round_off_do_not_show()
{
    const Face face;
    Face turned = face;
    const double angle = one(0.0, 6.0), c = std::cos(angle), s = std::sin(angle);
    for (std::size_t i = 0; i < face.profile.size(); ++i) {
        const Vector2d place = face.place(i);
        turned.offsets[2 * i] = c * place.x() - s * place.y();
        turned.offsets[2 * i + 1] = s * place.x() + c * place.y();
    }
    for (int corner = 0; corner < Face::corners; ++corner) {
        for (const double share : {0.0, 0.5, 1.0}) {
            const auto k = static_cast<std::size_t>(corner);
            const Vector2d at = share * face.place(k) + (1.0 - share) * face.place((k + 1) % Face::corners);
            const Vector2d there(c * at.x() - s * at.y(), s * at.x() + c * at.y());
            assert(difference(face.shares(at), turned.shares(there)) < accuracy);
            assert(difference(face.shares(at), face.shares((1.0 + 1e-14) * at)) < accuracy);
        }
    }
}

}  // namespace

int main()
{
    for (int round = 0; round < 200; ++round) {
        a_centre_inside_is_kept();
        a_corner_bears_what_is_centred_on_it_or_beyond();
        a_side_bears_what_is_centred_on_it();
        far_beyond_the_nearest_points_bear();
        for (int k = 0; k < 100; ++k) points_in_one_place_share_some_way();
        axes_and_round_off_do_not_show();
    }
    std::puts("ok");
    return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/haptics/tick_clock.hpp"

#include <chrono>
#include <thread>

#ifdef __linux__
#include <time.h>
#endif

namespace softcontact {

std::int64_t SystemTickClock::now() const noexcept
{
    using namespace std::chrono;
    return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

void SystemTickClock::sleep_until(std::int64_t time) noexcept
{
    const std::int64_t wake = time - m_spin;
#ifdef __linux__
    const timespec due{static_cast<time_t>(wake / 1'000'000'000), static_cast<long>(wake % 1'000'000'000)};
    while (now() < wake && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr) != 0) {
    }
#else
    std::this_thread::sleep_until(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(wake)));
#endif
    while (now() < time) {
    }
}

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/haptics/real_time.hpp"

#include <cerrno>
#include <cstring>

#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#endif

namespace softcontact {

int enter_fast_thread([[maybe_unused]] const char* name, bool wanted, [[maybe_unused]] int priority) noexcept
{
#ifdef __linux__
    prctl(PR_SET_TIMERSLACK, 1UL);  // of a normal thread; a real-time one has none
    pthread_setname_np(pthread_self(), name);
    if (!wanted) {
        return 0;
    }
    sched_param parameters{};
    parameters.sched_priority = priority;
    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
#else
    return wanted ? ENOTSUP : 0;
#endif
}

std::string scheduling_text(int refused, bool wanted, int priority)
{
    if (!wanted) {
        return "normal";
    }
    const std::string number = std::to_string(priority);
    return refused == 0 ? "SCHED_FIFO " + number
                        : "normal: the system refused SCHED_FIFO (" + std::string(std::strerror(refused)) +
                              "); allow it with 'ulimit -r " + number + "' or the capability CAP_SYS_NICE";
}

}  // namespace softcontact

// SPDX-License-Identifier: LGPL-2.1-or-later
// Preloaded: the wall clock jumps to and fro by an hour, four times a second; all other clocks go on.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec* out) {
    const long code = syscall(SYS_clock_gettime, clock, out);
    if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        struct timespec now;
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
        const long quarter = now.tv_sec * 4 + now.tv_nsec / 250000000;
        out->tv_sec += 3600 * (quarter % 3 - 1);
    }
    return (int)code;
}

int gettimeofday(struct timeval* restrict out, void* restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t* out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

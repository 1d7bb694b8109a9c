/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the package needs of the vendor's library libHD, without a device: a servo thread at 1 kHz that calls what was
 * scheduled, two devices whose poses the test sets, forces that it can read, and faults that it can make. */
#include <pthread.h>
#include <string.h>
#include <time.h>

typedef struct { unsigned code; int internal; unsigned handle; } ErrorInfo;
typedef unsigned (*Callback)(void*);
enum { devices = 2, most = 8 };
typedef struct { int open; double position[3]; double turned[9]; double force[3]; double torque[3]; } Device;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Device device[devices];
static struct { Callback call; void* data; unsigned device; } scheduled[most];
static __thread unsigned current = 0xFFFFFFFF, error = 0;
static unsigned init_error = 0, frame_error = 0, calibration = 0x5000;
static int running = 0, stopped = 0, six = 0;
static pthread_t servo;

/* ---- for the test */
void stub_reset(void)
{
    pthread_mutex_lock(&lock);
    memset(device, 0, sizeof device);
    for (int i = 0; i < devices; ++i) device[i].turned[0] = device[i].turned[4] = device[i].turned[8] = 1.0;
    error = init_error = frame_error = 0;
    calibration = 0x5000;
    stopped = six = 0;
    pthread_mutex_unlock(&lock);
}
void stub_init_error(unsigned code) { init_error = code; }
void stub_frame_error(unsigned code) { pthread_mutex_lock(&lock); frame_error = code; pthread_mutex_unlock(&lock); }
void stub_calibration(unsigned code) { calibration = code; }
void stub_unplug(int out) { pthread_mutex_lock(&lock); stopped = out; pthread_mutex_unlock(&lock); }
void stub_six(int on) { six = on; }
void stub_place(int i, const double* position, const double* turned)
{
    pthread_mutex_lock(&lock);
    memcpy(device[i].position, position, sizeof device[i].position);
    if (turned) memcpy(device[i].turned, turned, sizeof device[i].turned);
    pthread_mutex_unlock(&lock);
}
void stub_felt(int i, double* out)
{
    pthread_mutex_lock(&lock);
    memcpy(out, device[i].force, 3 * sizeof *out);
    memcpy(out + 3, device[i].torque, 3 * sizeof *out);
    pthread_mutex_unlock(&lock);
}
int stub_open(void) { return device[0].open + device[1].open; }
int stub_running(void) { return running; }

/* ---- as in the vendor's library */
unsigned hdInitDevice(const char* name)
{
    const unsigned handle = name && strcmp(name, "Right") == 0 ? 1 : 0;
    if (name && strcmp(name, "Left") != 0 && strcmp(name, "Right") != 0) init_error = 0x0303;
    if (init_error) { error = init_error; return 0xFFFFFFFF; }
    if (device[handle].open) { error = 0x0301; return 0xFFFFFFFF; }
    device[handle].open = 1;
    return current = handle;
}
void hdDisableDevice(unsigned handle) { if (handle < devices) device[handle].open = 0; }
void hdMakeCurrentDevice(unsigned handle) { current = handle; }
unsigned hdGetCurrentDevice(void) { return current; }
void hdEnable(unsigned what) { (void)what; }
void hdBeginFrame(unsigned handle) { (void)handle; if (frame_error) error = frame_error; }
void hdEndFrame(unsigned handle) { (void)handle; }
unsigned hdCheckCalibration(void) { return calibration; }
const char* hdGetString(unsigned what) { return what == 0x2503 ? "Stub" : "Touch"; }
ErrorInfo hdGetError(void)
{
    const ErrorInfo out = {error, 0, current};
    error = 0;
    return out;
}
void hdGetIntegerv(unsigned what, int* out)
{
    *out = what == 0x2553 ? 6 : what == 0x2554 ? (six ? 6 : 3) : 0;
}
void hdGetDoublev(unsigned what, double* out)
{
    const Device* d = &device[current];
    static const double box[6] = {-210, -110, -85, 210, 205, 130};
    switch (what) {
        case 0x2052:
            memset(out, 0, 16 * sizeof *out);
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) out[4 * i + j] = d->turned[3 * i + j];
            memcpy(out + 12, d->position, sizeof d->position);
            out[15] = 1.0;
            break;
        case 0x2050: memcpy(out, d->position, sizeof d->position); break;
        case 0x2051: case 0x2053: out[0] = 1.0; out[1] = 2.0; out[2] = 3.0; break;
        case 0x2550: memcpy(out, box, sizeof box); break;
        case 0x2602: *out = 0.5; break;
        case 0x2603: *out = 3.3; break;
        case 0x2604: *out = 0.88; break;
        case 0x2622: *out = 300.0; break;
        default: error = 0x0100;
    }
}
void hdSetDoublev(unsigned what, const double* in)
{
    if (what == 0x2700) memcpy(device[current].force, in, sizeof device[current].force);
    if (what == 0x2701) memcpy(device[current].torque, in, sizeof device[current].torque);
}
static void* serve(void* none)
{
    struct timespec due;
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (;;) {
        due.tv_nsec += 1000000;
        if (due.tv_nsec >= 1000000000) { due.tv_nsec -= 1000000000; ++due.tv_sec; }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, 0);
        pthread_mutex_lock(&lock);
        const int go = running;
        for (int i = 0; go && !stopped && i < most; ++i)
            if (scheduled[i].call && !scheduled[i].call(scheduled[i].data)) scheduled[i].call = 0;
        pthread_mutex_unlock(&lock);
        if (!go) return none;
    }
}
void hdStartScheduler(void) { running = 1; pthread_create(&servo, 0, serve, 0); }
void hdStopScheduler(void)
{
    pthread_mutex_lock(&lock);
    const int was = running;
    running = 0;
    pthread_mutex_unlock(&lock);
    if (was) pthread_join(servo, 0);
}
unsigned long hdScheduleAsynchronous(Callback call, void* data, unsigned short priority)
{
    unsigned long out = 0;
    (void)priority;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < most && !out; ++i)
        if (!scheduled[i].call) { scheduled[i].call = call; scheduled[i].data = data; out = (unsigned long)i + 1; }
    pthread_mutex_unlock(&lock);
    if (!out) error = 0x0501;
    return out;
}
void hdUnschedule(unsigned long handle)
{
    pthread_mutex_lock(&lock);
    if (handle >= 1 && handle <= most) scheduled[handle - 1].call = 0;
    pthread_mutex_unlock(&lock);
}

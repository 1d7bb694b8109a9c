// SPDX-License-Identifier: LGPL-2.1-or-later
// The fast thread: watchdog, refused poses, recording and replay by a clock that is set by hand; real threads
// for the hand-over of data. Also built with ThreadSanitizer (SOFTCONTACT_SANITIZE=thread).
#undef NDEBUG
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "counted_allocations.hpp"
#include "softcontact/haptics/haptic_thread.hpp"
#include "softcontact/haptics/recorded_device.hpp"
#include "softcontact/haptics/simulated_device.hpp"
#include "softcontact/haptics/virtual_wall.hpp"

using namespace softcontact;

namespace {

constexpr std::int64_t millisecond = 1'000'000;
using Wall = std::array<double, 8>;
constexpr Wall wall{0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 500.0, 0.0};

/// A device that is where the test puts it.
class PlacedDevice final : public HapticDevice {
public:
    DeviceState state;
    bool fresh = true;
    std::uint32_t broken = 0;
    Vector6d felt = Vector6d::Constant(-1.0);

    PlacedDevice() { state.position = Vector3d(0.0, 0.0, -2e-3); }
    [[nodiscard]] const DeviceCapabilities& capabilities() const noexcept override { return m_capabilities; }
    void read(DeviceState& out) noexcept override
    {
        if (fresh) {
            ++state.sequence;
            out = state;
        }
    }
    void write(const Vector6d& wrench) noexcept override { felt = wrench; }
    [[nodiscard]] std::uint32_t fault() const noexcept override { return broken; }

private:
    DeviceCapabilities m_capabilities;
};

/// A session by hand: pressed 2 mm into a wall of 500 N/m, so 1 N.
struct Bench {
    PlacedDevice device;
    VirtualWall law;
    ManualTickClock clock;
    HapticThread thread;

    explicit Bench(const HapticThreadSettings& settings = {}) : thread(device, law, settings, clock)
    {
        clock.set(1'000 * millisecond);
    }
    /// So many milliseconds of ticks; with data every `every` milliseconds, 0: none.
    void run(int milliseconds, int every = 10)
    {
        for (int k = 0; k < milliseconds; ++k) {
            if (every > 0 && k % every == 0) {
                thread.publish(wall, 1e-3 * every);
            }
            thread.tick();
            clock.advance(millisecond);
        }
    }
    [[nodiscard]] double force() const { return device.felt.norm(); }
    [[nodiscard]] HapticState state() { return thread.readout().state; }
};

void first_touch_fades_in()
{
    Bench bench;
    bench.run(5, 0);
    assert(bench.force() == 0.0 && bench.state() == HapticState::waiting);
    double last = 0.0;
    bench.thread.publish(wall, 0.01);
    for (int k = 0; k < 50; ++k) {
        bench.run(1, k % 10 == 0 ? 1 : 0);
        assert(bench.force() >= last && bench.force() <= 0.021 * (k + 1));
        last = bench.force();
    }
    bench.run(10);
    assert(std::abs(bench.force() - 1.0) < 1e-12 && bench.state() == HapticState::touching);
    bench.device.state.position.z() = 1e-3;  // the second touch is not held back
    bench.run(20);
    assert(bench.force() == 0.0 && bench.state() == HapticState::free);
    bench.device.state.position.z() = -2e-3;
    bench.run(10);
    assert(std::abs(bench.force() - 1.0) < 1e-12);
}

void a_silent_slow_thread_costs_the_force_within_50_ms(int every)
{
    Bench bench;
    bench.run(200, every);
    assert(std::abs(bench.force() - 1.0) < 1e-12);
    // Killed right before its next data were due, at the worst moment for data that come within 40 ms.
    const int since = every;
    bench.thread.publish(wall, 1e-3 * every);
    bench.run(since, 0);
    assert(bench.force() > 0.9);  // on time: no fade yet
    int waited = since;
    while (bench.force() > 0.0) {
        bench.run(1, 0);
        ++waited;
    }
    assert(bench.state() == HapticState::stalled);
    assert(waited <= (every <= 40 ? 51 : every + 51));
    bench.run(1000, 0);
    assert(bench.force() == 0.0);
    bench.run(10);  // back: fades in
    assert(bench.force() > 0.0 && bench.force() <= 0.21);
    bench.run(100);
    assert(std::abs(bench.force() - 1.0) < 1e-12);
}

void a_ten_times_slower_thread_gives_no_force()
{
    Bench bench;
    bench.run(100);
    double late = 0.0;
    for (int k = 0; k < 500; ++k) {  // still promises 10 ms, comes every 100
        if (k % 100 == 0) {
            bench.thread.publish(wall, 0.01);
        }
        bench.run(1, 0);
        if (k % 100 >= 50) {
            late = std::max(late, bench.force());
        }
        assert(bench.force() <= 1.0 + 1e-12);
    }
    assert(late == 0.0);
}

void withdrawn_data_fade_at_once()
{
    Bench bench;
    bench.run(100);
    bench.thread.withdraw();
    bench.run(1, 0);
    assert(bench.force() > 0.9);
    bench.run(20, 0);
    assert(bench.force() == 0.0 && bench.state() == HapticState::waiting);
}

void a_device_without_poses_is_an_error()
{
    Bench bench;
    bench.run(100);
    bench.device.fresh = false;
    bench.run(50);
    assert(bench.force() == 0.0 && bench.state() == HapticState::pose_lost);
    bench.run(940);
    assert(bench.state() == HapticState::pose_lost);
    bench.run(20);
    assert(bench.force() == 0.0 && bench.state() == HapticState::error);
    bench.device.fresh = true;  // it stays an error
    bench.run(100);
    assert(bench.force() == 0.0 && bench.state() == HapticState::error);
    bench.thread.reset();
    bench.run(100);
    assert(std::abs(bench.force() - 1.0) < 1e-12 && bench.state() == HapticState::touching);
    bench.device.broken = 0x302;
    bench.run(1);
    assert(bench.force() == 0.0 && bench.state() == HapticState::error &&
           bench.thread.readout().fault == 0x302);
}

void poses_that_cannot_be_true_give_no_force()
{
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        Bench bench;
        bench.run(100);
        const Vector3d good = bench.device.state.position;
        bench.device.state.position.x() = bad;
        bench.run(30);
        assert(bench.force() == 0.0 && bench.state() == HapticState::pose_lost);
        assert(bench.thread.readout().device.position == good);
        bench.device.state.position = good;
        bench.run(100);
        assert(std::abs(bench.force() - 1.0) < 1e-12);
        bench.device.state.orientation.coeffs().setConstant(bad);
        bench.run(1100);
        assert(bench.force() == 0.0 && bench.state() == HapticState::error);
    }
    Bench bench;
    bench.run(100);
    bench.device.state.position.z() -= 1.0;  // 500 N asked for
    for (int k = 0; k < 99; ++k) {
        bench.run(1, k % 10 == 0 ? 1 : 0);
        assert(bench.force() == 0.0 && bench.state() == HapticState::pose_lost);
    }
    for (int k = 0; k < 100; ++k) {  // the new place holds: taken, faded in, limited
        bench.run(1);
        assert(bench.force() <= 3.3 * 0.0201 * (k + 1) + 1e-12);
    }
    assert(std::abs(bench.force() - 3.3) < 1e-12);
    for (int k = 0; k < 1100; ++k) {  // back and forth: never true
        bench.device.state.position.x() = k % 2 == 0 ? 1.0 : -1.0;
        bench.run(1);
        assert(bench.force() == 0.0);
    }
    assert(bench.state() == HapticState::error);
}

void force_and_its_change_are_limited()
{
    HapticThreadSettings settings;
    settings.safety.max_force = 2.0;
    settings.safety.max_force_rate = 100.0;
    Bench bench(settings);
    bench.device.state.position.z() = 1e-3;
    bench.run(10);
    bench.device.state.position.z() = -1e-4;
    bench.run(100);  // touched before
    bench.device.state.position.z() = -9e-3;
    double last = bench.force();
    for (int k = 0; k < 40; ++k) {
        bench.run(1);
        assert(bench.force() - last <= 0.1 + 1e-12 && bench.force() <= 2.0 + 1e-12);
        last = bench.force();
    }
    assert(std::abs(last - 2.0) < 1e-12);
    // A law that is no number any more.
    Wall odd = wall;
    odd[6] = 1e308;
    bench.device.state.position.z() = -9.0e-3;
    bench.device.state.linear_velocity.z() = -1e300;
    odd[7] = 1e308;
    bench.thread.publish(odd, 0.01);
    bench.run(1, 0);
    assert(bench.force() == 0.0 && bench.state() == HapticState::law_failed);
}

/// Not by a round-off more: whoever compares with the limit is right to.
void no_force_is_longer_than_the_limit()
{
    const SafetySettings settings;
    ForceSafety safety(settings);
    SafetyInputs inputs;
    inputs.has_data = true;
    inputs.data_period = 0.01;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> one(-30.0, 30.0);
    int limited = 0;
    for (int k = 0; k < 20000; ++k) {
        const Vector6d wanted = Vector6d::NullaryExpr([&] { return one(random); });
        const Vector6d sent = safety.apply(wanted, inputs, 0.1);
        const double force = sent.head<3>().norm(), torque = sent.tail<3>().norm();
        assert(force <= settings.max_force && torque <= settings.max_torque);
        limited += force > settings.max_force * (1.0 - 1e-14) ? 1 : 0;
    }
    assert(limited > 10000);
}

void wrong_arguments_are_refused()
{
    const auto refused = [](auto&& call) {
        try {
            call();
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    Bench bench;
    Wall odd = wall;
    odd[3] = std::nan("");
    assert(refused([&] { bench.thread.publish(odd, 0.01); }));
    assert(refused([&] { bench.thread.publish({wall.data(), 7}, 0.01); }));
    assert(refused([&] { bench.thread.publish(wall, std::nan("")); }));
    for (double HapticThreadSettings::* field : {&HapticThreadSettings::rate_hz}) {
        HapticThreadSettings settings;
        settings.*field = std::nan("");
        assert(refused([&] { const Bench other(settings); }));
    }
    HapticThreadSettings settings;
    settings.safety.watchdog = 0.06;
    assert(refused([&] { const Bench other(settings); }));
    settings.safety.watchdog = std::nan("");
    assert(refused([&] { const Bench other(settings); }));
}

HandScript pressing(double depth)
{
    HandScript script;
    script.times = {0.0, 0.1, 0.3, 10.0};
    script.positions = Eigen::Matrix3Xd::Zero(3, 4);
    script.positions.row(2) << 2e-3, -depth, -depth, -depth;
    script.orientations.assign(4, Quaterniond::Identity());
    return script;
}

void ticks_do_not_allocate()
{
    SimulatedHapticDevice device({}, pressing(5e-3));
    VirtualWall law;
    ManualTickClock clock;
    HapticTrace trace(2000, 100, 404);
    HapticThread thread(device, law, {}, clock, &trace);
    thread.publish(wall, 0.01);
    const long before = test::allocations;
    for (int k = 0; k < 2100; ++k) {  // beyond what the trace has room for
        if (k % 10 == 0) {
            thread.publish(wall, 0.01);
        }
        thread.tick();
        clock.advance(millisecond);
    }
    assert(test::allocations == before);
    // Room for 50 publications of 8 numbers, and for ticks until the next one came.
    assert(trace.full() && trace.publications() == 50 && trace.ticks() == 500);
}

int threads_of_this_process()
{
    int count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        ++count;
    }
    return count;
}

/// Real threads: the slow one is ended and started 20 times in contact, two devices at once; what was written
/// down gives the same bits again.
void threads_come_and_go()
{
    SimulatedHapticDevice left({}, pressing(4e-3)), right({}, pressing(8e-3));
    VirtualWall left_law, right_law;
    SystemTickClock clock;
    HapticTrace trace(4000, 4000, 32000);
    HapticThreadSettings settings;
    settings.rate_hz = 2000.0;
    HapticThread first(left, left_law, settings, clock, &trace), second(right, right_law, settings, clock);
    for (int start = 0; start < 20; ++start) {
        first.start();
        second.start();
        assert(!first.scheduling().empty());
        if (start % 5 == 0) {  // also the fast ones, now and then
            first.stop();
            second.stop();
            assert(!first.running());
            first.start();
            second.start();
        }
        const int threads = threads_of_this_process();
        std::thread slow([&] {
            for (int k = 0; k < 10; ++k) {
                first.publish(wall, 0.005);
                second.publish(wall, 0.005);
                std::this_thread::sleep_for(std::chrono::milliseconds(3));
            }
        });
        const HapticReadout seen = first.readout();
        assert(seen.wrench.allFinite() && seen.wrench.head<3>().norm() <= 3.3 + 1e-12);
        slow.join();
        assert(threads_of_this_process() == threads);
        first.withdraw();
        first.stop();
        second.stop();
    }
    assert(first.ticks() > 100 && first.times().work.count() == first.ticks());
    assert(left.position().z() != right.position().z());
    const auto again = [&] {
        VirtualWall law;
        return replay(trace, law, settings, left.capabilities());
    }();
    assert(again->ticks() == trace.ticks() && trace.ticks() > 100);
    double largest = 0.0;
    for (Index i = 0; i < trace.ticks(); ++i) {
        const Vector6d a = trace.row(i).wrench, b = again->row(i).wrench;
        assert(std::memcmp(a.data(), b.data(), sizeof(double) * 6) == 0);
        assert(trace.row(i).state == again->row(i).state);
        largest = std::max(largest, a.norm());
    }
    assert(largest > 0.0);
}

/// What crosses between threads is always whole: every number of a publication is the same one.
class WholeLaw final : public ForceLaw {
public:
    static constexpr Index count = 200;
    double last = 0.0;
    bool whole = true;
    [[nodiscard]] Index parameter_count() const noexcept override { return count; }
    void take(const double* p, Index) noexcept override
    {
        for (Index i = 0; i < count; ++i) {
            whole = whole && p[i] == p[0];
        }
        whole = whole && p[0] >= last;
        last = p[0];
    }
    void reset(const DeviceState&) noexcept override {}
    [[nodiscard]] Vector6d wrench(const DeviceState&, double) noexcept override { return Vector6d::Zero(); }
    [[nodiscard]] Index output_count() const noexcept override { return count; }
    void tell(double* out) const noexcept override { std::fill(out, out + count, last); }
};

void data_cross_whole()
{
    PlacedDevice device;
    WholeLaw law;
    ManualTickClock clock;
    HapticThread thread(device, law, {}, clock);
    std::atomic<bool> done{false};
    std::thread fast([&] {
        while (!done.load()) {
            thread.tick();
            clock.advance(millisecond);
        }
    });
    std::vector<double> numbers(WholeLaw::count);
    for (int k = 1; k <= 3000; ++k) {
        std::fill(numbers.begin(), numbers.end(), static_cast<double>(k));
        thread.publish(numbers, 0.01);
        const HapticReadout seen = thread.readout();
        for (Index i = 0; i < WholeLaw::count; ++i) {
            assert(seen.law[i] == seen.law[0]);
        }
    }
    done.store(true);
    fast.join();
    thread.tick();
    assert(law.whole && law.last == 3000.0);
}

void late_ticks_are_counted()
{
    ManualTickClock clock;
    TickSchedule schedule(clock, millisecond);
    assert(schedule.wait() == 0 && schedule.skipped() == 0 && clock.now() == millisecond);
    clock.advance(millisecond + 300'000);  // 0.3 ms late: the next one is due on time
    assert(schedule.wait() == 300'000 && schedule.skipped() == 0);
    assert(schedule.wait() == 0 && clock.now() == 3 * millisecond);
    clock.advance(5 * millisecond);
    assert(schedule.wait() == 4 * millisecond && schedule.skipped() == 4);
    assert(schedule.wait() == 0 && clock.now() == 9 * millisecond);
    TimeHistogram times;
    for (int k = 1; k <= 1000; ++k) {
        times.add(k * 1000 - 1);
    }
    times.add(50 * millisecond);
    assert(times.count() == 1001 && times.max() == 50 * millisecond);
    assert(times.percentile(0.5) == 501'000 && times.percentile(1.0) == 50 * millisecond);
}

void a_tally_tells_a_force_on_overdue_data()
{
    HapticTally tally;
    Vector6d push = Vector6d::Zero();
    push[2] = 2.0;
    push[4] = 0.1;
    tally.add(HapticState::touching, push, false);
    tally.add(HapticState::stalled, Vector6d::Zero(), true);
    assert(tally.missed() == 0 && tally.force() == 2.0 && tally.torque() == 0.1);
    tally.add(HapticState::stalled, push, true);
    push[0] = std::numeric_limits<double>::quiet_NaN();
    tally.add(HapticState::error, push, false);
    assert(tally.missed() == 1 && tally.not_finite() == 1 && tally.force() == 2.0);
    assert(tally.ticks(HapticState::stalled) == 2 && tally.ticks(HapticState::free) == 0);
}

}  // namespace

int main()
{
    first_touch_fades_in();
    for (const int every : {5, 10, 20, 40, 100}) {
        a_silent_slow_thread_costs_the_force_within_50_ms(every);
    }
    a_ten_times_slower_thread_gives_no_force();
    withdrawn_data_fade_at_once();
    a_device_without_poses_is_an_error();
    poses_that_cannot_be_true_give_no_force();
    force_and_its_change_are_limited();
    no_force_is_longer_than_the_limit();
    wrong_arguments_are_refused();
    ticks_do_not_allocate();
    late_ticks_are_counted();
    a_tally_tells_a_force_on_overdue_data();
    data_cross_whole();
    threads_come_and_go();
    std::puts("ok");
    return 0;
}

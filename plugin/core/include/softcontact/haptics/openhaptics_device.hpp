// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>

#include "softcontact/haptics/device.hpp"
#include "softcontact/haptics/latest_value.hpp"

namespace softcontact {

/// The few functions of the vendor's library libHD that its servo thread needs; whoever loads it fills them
/// in.
struct OpenHapticsCalls {
    struct Error {
        std::uint32_t code;
        std::int32_t internal_code;
        std::uint32_t handle;
    };
    void (*make_current_device)(std::uint32_t handle) = nullptr;
    void (*begin_frame)(std::uint32_t handle) = nullptr;
    void (*end_frame)(std::uint32_t handle) = nullptr;
    void (*get_doubles)(std::uint32_t what, double* out) = nullptr;
    void (*get_integers)(std::uint32_t what, std::int32_t* out) = nullptr;
    void (*set_doubles)(std::uint32_t what, const double* in) = nullptr;
    Error (*get_error)() = nullptr;
};

/// A device of 3D Systems behind OpenHaptics. The library calls serve() in its own servo thread, at its own
/// rate: poses go out and the newest force comes in, both without locks. A force that nobody renews is set to
/// zero. Axes: the library's x right, y up, z to the user become x right, y away, z up; millimetres become
/// metres, millinewtonmetres newtonmetres.
class OpenHapticsDevice final : public HapticDevice {
public:
    static constexpr int silent_frames = 20;  ///< of the servo thread without a new force until it is zero

    /// Throws std::invalid_argument when a function is missing.
    OpenHapticsDevice(const OpenHapticsCalls& calls, std::uint32_t handle, DeviceCapabilities capabilities);

    /// What the library is to schedule, with the device as its argument. Returns 1 (go on) until close().
    static std::uint32_t serve(void* device) noexcept;

    [[nodiscard]] const DeviceCapabilities& capabilities() const noexcept override { return m_capabilities; }
    void read(DeviceState& state) noexcept override;
    void write(const Vector6d& wrench) noexcept override;
    [[nodiscard]] std::uint32_t fault() const noexcept override
    {
        return m_fault.load(std::memory_order_acquire);
    }
    void clear_fault() noexcept override { m_fault.store(0, std::memory_order_release); }

    /// Zero force from the next frame on, which is the last one.
    void close() noexcept { m_closing.store(true, std::memory_order_release); }
    [[nodiscard]] std::uint64_t frames() const noexcept { return m_frames.load(std::memory_order_acquire); }

private:
    bool frame() noexcept;

    OpenHapticsCalls m_calls;
    std::uint32_t m_handle;
    DeviceCapabilities m_capabilities;
    LatestValue<DeviceState> m_states;
    LatestValue<Vector6d> m_wrenches;
    int m_silent = 0;  // of the servo thread
    std::atomic<std::uint64_t> m_frames{0};
    std::atomic<std::uint32_t> m_fault{0};
    std::atomic<bool> m_closing{false};
};

}  // namespace softcontact

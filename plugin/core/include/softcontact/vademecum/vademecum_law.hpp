// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <softcontact/haptics/force_law.hpp>
#include <softcontact/vademecum/contact_response.hpp>

namespace softcontact {

/// What lies between a device's metres and newtons and those of the body.
struct VademecumScales {
    double length = 1.0;   ///< the body's metres to one of the device, > 0
    double force = 1.0;    ///< the device's newtons to one at the body, > 0
    double damping = 0.0;  ///< of the device while it touches [N s/m], >= 0

    /// Throws std::invalid_argument.
    void validate() const;
};

/// A vademecum's body as the fast thread's force law: a rigid pointshell that goes with the device, or a
/// second body clamped to it, touches the first one, and each tick finds contact and deformation in
/// equilibrium, so that the device feels the nonlinear bodies at its own rate, without a slow thread in
/// between.
///
/// A publication is where the body is (position [m], quaternion x y z w, in the device's world) and what it
/// is loaded with besides contact: a case and a size for each of up to ContactResponse::most_held loads; 7
/// numbers and 2 a load. It tells, per tick: points inside, points that slide, whether the equilibrium
/// converged, Newton steps, deepest point [m], wrench on the shell at the device's point in the body's frame
/// and units (6), number of loads, then case and size of each: 12 numbers and 2 for each load there is room
/// for; of a second body the number of its loads follows, then those.
class VademecumLaw final : public ForceLaw {
public:
    /// @param shell points (3, n) [m] in the device's frame, in the body's lengths, finite.
    /// Of two bodies: no points, and the device's frame is that of the second body.
    /// @throws std::invalid_argument a shell that is not that of the response, or scales out of range.
    VademecumLaw(std::unique_ptr<ContactResponse> response, Points shell, const VademecumScales& scales);

    [[nodiscard]] Index parameter_count() const noexcept override
    {
        return 7 + 2 * static_cast<Index>(ContactResponse::most_held);
    }
    [[nodiscard]] bool fits(Index count) const noexcept override
    {
        return count >= 7 && count <= parameter_count() && count % 2 == 1;
    }
    void take(const double* parameters, Index count) noexcept override;
    void reset(const DeviceState& state) noexcept override;
    [[nodiscard]] Vector6d wrench(const DeviceState& state, double period) noexcept override;
    [[nodiscard]] Index output_count() const noexcept override
    {
        return 11 + m_response->body_count() * (1 + 2 * m_response->capacity());
    }
    void tell(double* outputs) const noexcept override;

private:
    std::unique_ptr<ContactResponse> m_response;
    Points m_shell, m_moved;
    VademecumScales m_scales;
    RigidPose m_body;
    ResponseStatus m_status;
    Wrench m_wrench;  ///< on the shell, in the body's frame and units
};

}  // namespace softcontact

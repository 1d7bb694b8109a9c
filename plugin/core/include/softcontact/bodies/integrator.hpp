// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace softcontact {

/// Rule that carries bodies with springs through a step: forces at its end, which damps what swings fast
/// against the step, or the mean of start and end, which keeps energy.
enum class Integrator { implicit_euler, midpoint };

}  // namespace softcontact

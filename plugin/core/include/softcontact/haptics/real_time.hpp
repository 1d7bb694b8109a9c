// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace softcontact {

/// Names the calling thread, lets it sleep as precisely as the system can, and, where `wanted`, asks for
/// SCHED_FIFO of `priority`. Returns 0, or the system's errno where it refused.
[[nodiscard]] int enter_fast_thread(const char* name, bool wanted, int priority) noexcept;

/// What came of it, and if less than asked for, why and what helps.
[[nodiscard]] std::string scheduling_text(int refused, bool wanted, int priority);

}  // namespace softcontact

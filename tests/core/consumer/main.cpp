// SPDX-License-Identifier: LGPL-2.1-or-later
// Links the installed core and steps an empty world once.
#include <cstdio>
#include <softcontact/version.hpp>
#include <softcontact/world/world.hpp>

int main()
{
    softcontact::World world(0.01, {0.0, 0.0, -9.81}, {});
    const bool ok = world.step() && world.time() == 0.01;
    std::printf("SoftContact core %s\n", softcontact::version());
    return ok ? 0 : 1;
}

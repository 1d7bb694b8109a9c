// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/slip_gauge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softcontact {

namespace {

double ratio(double load, double bound)
{
    if (load == 0.0) {
        return 0.0;
    }
    return bound > 0.0 ? load / bound : std::numeric_limits<double>::infinity();
}

}  // namespace

double slip_gauge(FrictionLaw law, const FrictionPatch& patch, const DecoupledBounds& bounds, double mu,
                  const Vector4d& load)
{
    if (!(load[0] > 0.0)) {
        return 0.0;
    }
    const double bound = mu * load[0];
    const double force = std::hypot(load[1], load[2]);
    switch (law) {
        case FrictionLaw::contensou:
            return contensou_gauge(patch, bound, load.tail<3>());
        case FrictionLaw::contensou_decoupled:
            return std::max(ratio(force, bound * bounds.tangential),
                            ratio(std::abs(load[3]), bound * bounds.torsional));
        case FrictionLaw::coulomb:
            break;
    }
    return ratio(force, bound);
}

}  // namespace softcontact

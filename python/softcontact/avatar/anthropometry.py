# SPDX-License-Identifier: LGPL-2.1-or-later
"""Segments of the human body: mass, centre of mass and radii of gyration by length.

Source: de Leva, Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, J. Biomechanics 29 (1996),
Table 4 (men; mean 73.0 kg, 1.741 m). Widths, the height of ankle and shoulder and the foot's breadth:
Drillis and Contini (1966), as in Winter, Biomechanics and Motor Control of Human Movement, Fig. 4.1.
"""

from __future__ import annotations

from dataclasses import dataclass

MEAN_STATURE = 1.741  #: [m] of the men the table is of
MEAN_MASS = 73.0  #: [kg]


@dataclass(frozen=True)
class Segment:
    """One segment of the mean man."""

    length: float  #: [m] between the end points
    mass_fraction: float
    centre_fraction: float  #: of the length, from the proximal (upper) end point
    gyration: tuple[
        float, float, float
    ]  #: radii by length about the sagittal (x), transverse (y), long axis (z)


SEGMENTS = {
    "head": Segment(0.2429, 0.0694, 0.5002, (0.303, 0.315, 0.261)),  # vertex to cervicale
    "upper_trunk": Segment(0.2421, 0.1596, 0.5066, (0.505, 0.320, 0.465)),  # cervicale to xiphion
    "middle_trunk": Segment(0.2155, 0.1633, 0.4502, (0.482, 0.383, 0.468)),  # xiphion to omphalion
    "lower_trunk": Segment(0.1457, 0.1117, 0.6115, (0.615, 0.551, 0.587)),  # omphalion to hip joints
    "upper_arm": Segment(0.2817, 0.0271, 0.5772, (0.285, 0.269, 0.158)),
    "forearm": Segment(0.2689, 0.0162, 0.4574, (0.276, 0.265, 0.121)),
    "hand": Segment(0.0862, 0.0061, 0.7900, (0.628, 0.513, 0.401)),  # wrist to third knuckle
    "thigh": Segment(0.4222, 0.1416, 0.4095, (0.329, 0.329, 0.149)),
    "shank": Segment(0.4403, 0.0433, 0.4395, (0.251, 0.246, 0.102)),  # knee to ankle joint
    "foot": Segment(0.2581, 0.0137, 0.4415, (0.257, 0.245, 0.124)),  # heel to toe tip, lying along x
}

ANKLE_HEIGHT = 0.039  #: by stature, as all below
SHOULDER_HEIGHT = 0.818
SHOULDER_HALF_WIDTH = 0.129
HIP_HALF_WIDTH = 0.191 / 4  #: hip joints half the hip breadth apart
FOOT_BREADTH = 0.055

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tracked hands: recordings and live streams that drive the soft hand of a scene.

A scene takes a track as a motion of its hand:

    from softcontact.scene import Hand, Scene, TrackMotion

    Scene(..., bodies=[..., Hand(name="hand")],
          motions=[TrackMotion(body="hand", source="grasp")])

`source` is "grasp", the synthetic recording that comes with the package (a ball of radius
`simulate.BALL_RADIUS`, resting on z = 0 at the origin, is grasped, lifted by 10 cm, moved by 8 cm along y,
put down and released in 6.5 s), or a .csv, .h5 or .jsonl file (tracking.files tells their layout). A scene
file that leaves the choice to its user has an option of that name:

    class Options(SceneOptions):
        source: str = "grasp"

and `softcontact run SCENE --set source=mine.csv` drives it with another recording. The hand starts at the
track's first sample; after the last one it stays. `frame="start"` puts the first sample at the hand's own
position and orientation instead, `position` and `orientation` place the tracker's axes. No grasp controller
is needed: the targets close beyond the first touch, and the hand's springs turn that into force.

Every source ends in rows of 26 values as in scene.HandMotion: 20 joint angles [rad], palm position [m], palm
rotation vector [rad]; `Track` holds such rows.
"""

from .sensors import Calibration
from .track import Track
from .values import RateLimits, TrackError

__all__ = ["Calibration", "RateLimits", "Track", "TrackError"]

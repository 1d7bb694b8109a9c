# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tracked hands: recordings and live streams that drive the soft hand of a scene.

A scene takes a track as a motion of its hand:

    from softcontact.scene import Hand, Scene, TrackMotion

    Scene(..., bodies=[..., Hand(name="hand")],
          motions=[TrackMotion(body="hand", source="grasp")])

`source` is "grasp", the synthetic recording that comes with the package (a ball of radius
`simulate.BALL_RADIUS`, resting on z = 0 at the origin, is grasped, lifted by 10 cm, moved by 8 cm along y,
put down and released in 6.5 s), or a .csv, .h5 or .jsonl file (tracking.files tells their layout). A scene
file that leaves the choice to its user has an option for it:

    class Options(SceneOptions):
        track: str = "grasp"

and `softcontact run SCENE --set track=mine.csv` drives it with another recording. The hand starts at the
track's first sample; after the last one it stays. `frame="start"` puts the first sample at the hand's own
position and orientation instead, `position` and `orientation` place the tracker's axes. No grasp controller
is needed: the targets close beyond the first touch, and the hand's springs turn that into force.

Every source ends in rows of 26 values as in scene.HandMotion: 20 joint angles [rad], palm position [m], palm
rotation vector [rad]; `Track` holds such rows. Sources share one interface, `source.Source`: sample(now) gives
the values and a state, waiting, fresh, held or frozen.

Recordings: tracking.files (CSV, HDF5; 5, 14 or 20 sensors, calibration), tracking.sensors (couplings),
`Track.smoothed` and `Track.resampled`, tracking.packets (logs of datagrams).

Live: `source="udp://HOST:PORT"` in place of a file, so `--set track=udp://127.0.0.1:26000` for the scenes hand
and deformable-ball; tracking.message tells the datagram, tracking.jitter what becomes of late, lost, doubled and
reordered ones. The run waits for the first packet, goes by the wall clock, and writes track-HAND.h5 and a
scene.json that holds the targets of each step: run again, they end in the same state hash. A world that is
slower than real time is not rushed: the hand goes where the person's is, and the world's clock falls behind.
Two live hands have a port each. A program's own tracker or camera feeds a `udp.LiveSource` by `push` or
`push_landmarks`.

Landmarks: messages or files of 21 points a frame; tracking.landmarks tells how they become joint angles,
tracking.chirality how those of the other hand than stated, or of a mirrored image, are found and refused.

Coupling: "unilateral" pulls the hand along and gives nothing back; "bilateral" gives the wrench at every
fingertip and the palm as well, in History.wrenches, in history.h5 under feedback/HAND/FINGER, and, with
`feedback="udp://HOST:PORT"`, as a datagram a step (tracking.feedback). Any scene with a track takes
`--set motions.0.coupling=bilateral --set motions.0.feedback=udp://HOST:PORT`.

`softcontact track simulate | replay | record` make, send and write down such streams.
"""

from .sensors import Calibration
from .track import Track
from .values import RateLimits, TrackError

__all__ = ["Calibration", "RateLimits", "Track", "TrackError"]

# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scene whose hand follows a track in place of what it was planned to do."""

from pydantic import ValidationError

from softcontact.scene.errors import SceneError, one_line
from softcontact.scene.measures import Finite, PenetrationLimit
from softcontact.scene.model import Scene
from softcontact.scene.motions import TrackMotion
from softcontact.tracking.files import find_track, read_track


def follow(scene: Scene, track: str, hand: str = "hand", penetration: float = 2e-3) -> Scene:
    """The same bodies, driven by a recording or a stream; no grasp controller.

    Args:
        scene: a scene with a hand.
        track: name or file of a recording, whose duration the scene takes, or udp://HOST:PORT.
        hand: name of the hand; other motions stay.
        penetration: deepest overlap that the run may show [m]; what else the hand does is the track's affair.
    Raises:
        SceneError: no such recording.
    """
    try:
        motion = TrackMotion(body=hand, source=track)
        duration = scene.duration if motion.live else read_track(find_track(track)).duration
    except ValidationError as error:
        raise one_line(error, TrackMotion, {"source": track}, "track") from None
    except ValueError as error:
        raise SceneError(f"track: {error}") from None
    return scene.model_copy(
        update={
            "description": f"{scene.description.split(',')[0].rstrip('.')}, as the track {track} tells.",
            "duration": max(duration, scene.time_step),
            "motions": (*(m for m in scene.motions if m.body != hand), motion),
            "grasp": None,
            "grasps": (),
            "checks": (PenetrationLimit(limit=penetration), Finite()),
            "probes": (),
        }
    )

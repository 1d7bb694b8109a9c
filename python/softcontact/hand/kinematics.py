# SPDX-License-Identifier: LGPL-2.1-or-later
"""Forward kinematics of the hand, and the few rotation formulas that it needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .anatomy import FINGERS, HandParameters, finger_bases

__all__ = [
    "HandKinematics",
    "matrix_from_quaternion",
    "matrix_from_rotation_vector",
    "quaternion_from_matrix",
    "quaternion_from_rotation_vector",
    "rotation_vector_from_matrix",
]

FloatArray = NDArray[np.float64]
MIRROR = np.diag([1.0, -1.0, 1.0])


def quaternion_from_rotation_vector(vector: ArrayLike) -> FloatArray:
    """Quaternion (x, y, z, w) of a rotation vector [rad], shape (..., 3) to (..., 4)."""
    vector = np.asarray(vector, dtype=float)
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.concatenate([0.5 * vector * np.sinc(angle / (2.0 * np.pi)), np.cos(0.5 * angle)], axis=-1)


def matrix_from_quaternion(quaternion: ArrayLike) -> FloatArray:
    """Rotation matrix of a unit quaternion (x, y, z, w), shape (..., 4) to (..., 3, 3)."""
    x, y, z, w = np.moveaxis(np.asarray(quaternion, dtype=float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def matrix_from_rotation_vector(vector: ArrayLike) -> FloatArray:
    """Rotation matrix of a rotation vector [rad], shape (..., 3) to (..., 3, 3)."""
    return matrix_from_quaternion(quaternion_from_rotation_vector(vector))


def quaternion_from_matrix(matrix: ArrayLike) -> FloatArray:
    """Unit quaternion (x, y, z, w), w ≥ 0, of one rotation matrix (3, 3)."""
    m = np.asarray(matrix, dtype=float)
    # The eigenvector of the largest eigenvalue of Davenport's matrix: one formula for every angle.
    k = np.array(
        [
            [m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
            [m[0, 1] + m[1, 0], m[1, 1] - m[0, 0] - m[2, 2], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
            [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], m[2, 2] - m[0, 0] - m[1, 1], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], m[0, 0] + m[1, 1] + m[2, 2]],
        ]
    )
    quaternion = np.linalg.eigh(k)[1][:, -1]
    return quaternion if quaternion[3] >= 0.0 else -quaternion


def rotation_vector_from_matrix(matrix: ArrayLike) -> FloatArray:
    """Rotation vector [rad], length at most π, of one rotation matrix (3, 3)."""
    x = quaternion_from_matrix(matrix)
    sine = np.linalg.norm(x[:3])
    if sine < 1e-12:
        return 2.0 * x[:3]
    return x[:3] / sine * (2.0 * np.arctan2(sine, x[3]))


def _about_z(angle: float) -> FloatArray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _about_y(angle: float) -> FloatArray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


@dataclass(frozen=True)
class HandKinematics:
    """Joint frames of a hand, and the poses of its 16 links.

    Attributes:
        base_positions: finger base joints in the palm frame [m], shape (5, 3).
        base_rotations: their frames, base to palm, shape (5, 3, 3).
        lengths: segment lengths [m], shape (5, 3).
        mirror: +1 for a right hand, -1 for a left hand: the sign of the abduction axis on z.
    """

    base_positions: FloatArray
    base_rotations: FloatArray
    lengths: FloatArray
    mirror: float

    @classmethod
    def build(cls, parameters: HandParameters) -> HandKinematics:
        """Joint frames of the hand with these sizes."""
        positions, rotations = finger_bases(parameters)
        lengths = np.array([parameters.finger(name).lengths for name in FINGERS])
        if parameters.side == "left":
            positions, rotations = positions @ MIRROR, MIRROR @ rotations @ MIRROR
        return cls(positions, rotations, lengths, 1.0 if parameters.side == "right" else -1.0)

    def poses(
        self, angles: ArrayLike, palm_position: ArrayLike = (0, 0, 0), palm_rotation: ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Poses of the palm and the 15 segments.

        Each base joint turns R(z, abduction) R(y, flexion) in its frame, each further joint R(y, flexion).

        Args:
            angles: the 20 joint angles [rad].
            palm_position: of the palm frame [m], shape (3,).
            palm_rotation: palm to world, shape (3, 3); None means the identity.
        Returns:
            Positions [m], shape (16, 3), and rotations, shape (16, 3, 3), in the order of anatomy.LINKS.
        """
        angles = np.asarray(angles, dtype=float)
        if angles.shape != (20,) or not np.isfinite(angles).all():
            raise ValueError(f"angles: give 20 finite angles, not shape {angles.shape}")
        rotation = np.eye(3) if palm_rotation is None else np.asarray(palm_rotation, dtype=float)
        positions, rotations = np.empty((16, 3)), np.empty((16, 3, 3))
        positions[0], rotations[0] = palm_position, rotation
        for finger, (abduction, base, middle, distal) in enumerate(angles.reshape(5, 4)):
            link = 1 + 3 * finger
            positions[link] = positions[0] + rotation @ self.base_positions[finger]
            rotations[link] = (
                rotation @ self.base_rotations[finger] @ _about_z(self.mirror * abduction) @ _about_y(base)
            )
            for segment, flexion in ((1, middle), (2, distal)):
                parent = link + segment - 1
                positions[parent + 1] = (
                    positions[parent] + rotations[parent][:, 0] * self.lengths[finger, segment - 1]
                )
                rotations[parent + 1] = rotations[parent] @ _about_y(flexion)
        return positions, rotations

    def fingertips(self, positions: FloatArray, rotations: FloatArray) -> FloatArray:
        """Ends of the five distal segments [m], shape (5, 3), from the result of `poses`."""
        links = np.arange(3, 16, 3)
        return positions[links] + rotations[links][:, :, 0] * self.lengths[:, 2:3]

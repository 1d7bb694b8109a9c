# SPDX-License-Identifier: LGPL-2.1-or-later
"""Isotropic linear elastic material."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Material"]


@dataclass(frozen=True)
class Material:
    """Isotropic linear elastic material.

    Args:
        young_modulus: E [Pa], finite, > 0.
        poisson_ratio: nu [-], in [0, 0.5).
        density: rho [kg/m³], finite, > 0.
    Raises:
        ValueError: a value is out of range or not a number (message names field and value).
    """

    young_modulus: float = 1e5
    poisson_ratio: float = 0.3
    density: float = 1000.0

    def __post_init__(self) -> None:
        for name, unit in (("young_modulus", " Pa"), ("density", " kg/m³")):
            value = getattr(self, name)
            if not (value > 0.0 and math.isfinite(value)):
                raise ValueError(f"{name} = {value}{unit}: give a finite value above 0")
        if not 0.0 <= self.poisson_ratio < 0.5:
            raise ValueError(f"poisson_ratio = {self.poisson_ratio}: give a value in [0, 0.5)")

    @property
    def lame_lambda(self) -> float:
        """First Lamé parameter [Pa]."""
        nu = self.poisson_ratio
        return self.young_modulus * nu / ((1 + nu) * (1 - 2 * nu))

    @property
    def shear_modulus(self) -> float:
        """Shear modulus mu [Pa]."""
        return self.young_modulus / (2 * (1 + self.poisson_ratio))

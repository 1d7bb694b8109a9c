# SPDX-License-Identifier: LGPL-2.1-or-later
"""Isotropic elastic material, linear or stiffening with strain."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Material"]


@dataclass(frozen=True)
class Material:
    """Isotropic elastic material.

    Under uniaxial stress a material that stiffens has σ = E ε exp(b ε²): the energy density is
    E/(2b) (exp(b q) − 1) with q = σ:ε / E of the linear law, until the factor on E reaches its limit, and linear
    in q from there on.

    Args:
        young_modulus: E [Pa], finite, > 0.
        poisson_ratio: nu [-], in [0, 0.5).
        density: rho [kg/m³], finite, > 0.
        stiffening: b [-], in [0, 1000]; 0 is linear.
        stiffening_limit: largest factor on E [-], in [1, 1e6].
    Raises:
        ValueError: a value is out of range or not a number (message names field and value).
    Source: the exponential in a quadratic form of the strain is Fung's ("Biomechanics: mechanical properties of
    living tissues", 2nd ed., Springer 1993, Sec. 7.12); the bound is ours.
    """

    young_modulus: float = 1e5
    poisson_ratio: float = 0.3
    density: float = 1000.0
    stiffening: float = 0.0
    stiffening_limit: float = 100.0

    def __post_init__(self) -> None:
        for name, unit in (("young_modulus", " Pa"), ("density", " kg/m³")):
            value = getattr(self, name)
            if not (value > 0.0 and math.isfinite(value)):
                raise ValueError(f"{name} = {value}{unit}: give a finite value above 0")
        if not 0.0 <= self.poisson_ratio < 0.5:
            raise ValueError(f"poisson_ratio = {self.poisson_ratio}: give a value in [0, 0.5)")
        for name, low, high in (("stiffening", 0.0, 1e3), ("stiffening_limit", 1.0, 1e6)):
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name} = {value}: give a value in [{low:g}, {high:g}]")

    @property
    def lame_lambda(self) -> float:
        """First Lamé parameter [Pa]."""
        nu = self.poisson_ratio
        return self.young_modulus * nu / ((1 + nu) * (1 - 2 * nu))

    @property
    def shear_modulus(self) -> float:
        """Shear modulus mu [Pa]."""
        return self.young_modulus / (2 * (1 + self.poisson_ratio))

# SPDX-License-Identifier: LGPL-2.1-or-later
"""St Venant-Kirchhoff solids: energy, forces and tangents of many displacement fields at once."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from numpy.typing import ArrayLike, NDArray

from softcontact.bodies.material import Material
from softcontact.vademecum.internal_force import InternalForce
from softcontact.vademecum.solid_mesh import SolidMesh

__all__ = ["Solid", "factorised"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_BYTES = 1 << 26  # of work space a batch of fields may take


class Solid:
    """A St Venant-Kirchhoff solid on a mesh, some nodes clamped.

    Second Piola-Kirchhoff stress S = λ tr(E) 1 + 2 μ E with E = (FᵀF − 1)/2; the energy is a polynomial of
    degree four in the displacement. Fields are displacements of all nodes; clamped nodes must not move, and
    forces on them are dropped.

    Args:
        mesh: tetrahedra or hexahedra.
        material: without stiffening.
        clamped: node numbers, at least three.
    Attributes:
        free: numbers of the free components (f,) among 3 n, node by node, x, y, z.
    Raises:
        ValueError: bad node number, too few clamped nodes, or a material that stiffens.
    """

    def __init__(self, mesh: SolidMesh, material: Material, clamped: ArrayLike) -> None:
        nodes = np.unique(np.asarray(clamped))
        if len(nodes) < 3:
            raise ValueError(
                f"clamped: {len(nodes)} nodes; clamp three or more, or the solid can move freely"
            )
        if nodes.dtype.kind not in "iu" or nodes[0] < 0 or nodes[-1] >= len(mesh.nodes):
            raise ValueError(f"clamped: expected node numbers in 0 … {len(mesh.nodes) - 1}")
        if material.stiffening:
            raise ValueError("material: stiffening is not St Venant-Kirchhoff's law; set stiffening = 0")
        self.mesh, self.material, self.clamped = mesh, material, nodes.astype(np.int64)
        self.lame, self.shear = material.lame_lambda, material.shear_modulus
        moving = np.ones((len(mesh.nodes), 3), dtype=bool)
        moving[self.clamped] = False
        self.free: IntArray = np.flatnonzero(moving.ravel())
        self._internal_force = InternalForce(mesh, np.flatnonzero(moving[:, 0]), self.lame, self.shear)
        slopes = np.moveaxis(mesh.gradients, 1, 2)  # (m, a, q, 3)
        self._slopes = np.ascontiguousarray(slopes.reshape(*slopes.shape[:2], -1))
        products = mesh.gradients @ np.swapaxes(mesh.gradients, -1, -2)  # g_a·g_b
        products *= self.shear * mesh.weights[..., None, None]
        self._products = np.ascontiguousarray(np.moveaxis(products.reshape(*mesh.weights.shape, -1), 1, 2))
        self._pattern = self._tangent_pattern()

    @property
    def size(self) -> int:
        """Number of free components f."""
        return len(self.free)

    def expand(self, values: ArrayLike) -> FloatArray:
        """Displacements (…, n, 3) of all nodes from free components (…, f)."""
        values = np.asarray(values, dtype=float)
        field = np.zeros((*values.shape[:-1], 3 * len(self.mesh.nodes)))
        field[..., self.free] = values
        return field.reshape(*values.shape[:-1], -1, 3)

    def restrict(self, field: ArrayLike) -> FloatArray:
        """Free components (…, f) of a field (…, n, 3)."""
        field = np.asarray(field, dtype=float)
        return field.reshape(*field.shape[:-2], -1)[..., self.free]

    def gradient(self, values: FloatArray) -> FloatArray:
        """Displacement gradients H_iJ (s, m, q, 3, 3) of free components (s, f)."""
        cells = np.swapaxes(self.expand(values)[:, self.mesh.cells], -1, -2)  # (s, m, 3, a)
        return np.moveaxis((cells @ self._slopes).reshape(*cells.shape[:3], -1, 3), 2, 3)

    def energy(self, values: FloatArray) -> FloatArray:
        """Strain energy [J] (s,) of free components (s, f)."""
        out = np.empty(len(values))
        for part in self.batches(len(values)):
            strain, stress, _ = self.state(values[part])
            out[part] = 0.5 * np.einsum("scqij,scqij,cq->s", strain, stress, self.mesh.weights, optimize=True)
        return out

    def force(self, values: FloatArray) -> FloatArray:
        """Internal force [N], the energy's derivative, (s, f) of free components (s, f)."""
        return self._internal_force(values)

    def state(self, values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Green-Lagrange strain, second Piola-Kirchhoff stress [Pa], deformation gradient, each (s, m, q, 3, 3)."""
        deformation = self.gradient(values) + np.eye(3)
        strain = 0.5 * (np.swapaxes(deformation, -1, -2) @ deformation - np.eye(3))
        return strain, self.stress(strain), deformation

    def stress(self, strain: FloatArray) -> FloatArray:
        """λ tr(E) 1 + 2 μ E [Pa] of strains (…, 3, 3)."""
        trace = np.trace(strain, axis1=-2, axis2=-1)[..., None, None]
        return self.lame * trace * np.eye(3) + 2.0 * self.shear * strain

    def tangent(self, values: FloatArray) -> sp.csc_matrix:
        """Tangent stiffness (f, f) [N/m] at free components (f,).

        Of corners a, b with the slopes g of their shape functions and f = F g:
        K_ab = ∫ λ f_a f_bᵀ + μ f_b f_aᵀ + μ (g_a·g_b) F Fᵀ + (g_a·S g_b) 1.
        """
        _, stress, deformation = (part[0] for part in self.state(values[None]))
        slopes, weights = self.mesh.gradients, self.mesh.weights  # (c, q, a, 3), (c, q)
        cells, points, corners, _ = slopes.shape
        convected = slopes @ np.swapaxes(deformation, -1, -2)
        flat = convected.reshape(cells, points, 3 * corners)
        pairs = np.swapaxes(flat * weights[..., None], 1, 2) @ flat
        pairs = pairs.reshape(cells, corners, 3, corners, 3)  # ∫ f_a,i f_b,k at a, i, b, k
        out = self.lame * pairs
        out += self.shear * np.swapaxes(pairs, 2, 4)
        metric = (deformation @ np.swapaxes(deformation, -1, -2)).reshape(cells, points, 9)
        crossed = (self._products @ metric).reshape(cells, corners, corners, 3, 3)
        pulled = (slopes @ stress) * weights[..., None, None]
        sheared = np.swapaxes(pulled, 2, 3).reshape(cells, -1, corners)
        initial = np.swapaxes(sheared, 1, 2) @ np.swapaxes(slopes, 2, 3).reshape(cells, -1, corners)
        for i in range(3):
            crossed[..., i, i] += initial
        out += np.swapaxes(crossed, 2, 3)
        return self._assemble(out)

    def _assemble(self, cells: FloatArray) -> sp.csc_matrix:
        """Stiffness (f, f) of cell matrices (m, a, 3, a, 3)."""
        order, starts, indices, pointers = self._pattern
        data = np.add.reduceat(cells.ravel()[order], starts)
        return sp.csc_matrix((data, indices, pointers), shape=(self.size, self.size))

    def _tangent_pattern(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Where the entries of all cell matrices go: sorted entries, first of each sum, CSC indices."""
        number = np.full(3 * len(self.mesh.nodes), -1)
        number[self.free] = np.arange(self.size)
        dofs = number[(3 * self.mesh.cells[:, :, None] + np.arange(3)).reshape(len(self.mesh.cells), -1)]
        width = dofs.shape[1]
        rows, columns = np.repeat(dofs, width, axis=1).ravel(), np.tile(dofs, (1, width)).ravel()
        kept = np.flatnonzero((rows >= 0) & (columns >= 0))
        keys = columns[kept] * self.size + rows[kept]
        sorting = np.argsort(keys, kind="stable")
        unique, starts = np.unique(keys[sorting], return_index=True)
        pointers = np.searchsorted(unique, np.arange(self.size + 1) * self.size)
        return kept[sorting], starts, unique % self.size, pointers

    def batches(self, count: int) -> list[slice]:
        """Slices of `count` fields small enough to be worked on at once."""
        step = max(1, _BYTES // (8 * 9 * 5 * self.mesh.weights.size))
        return [slice(start, min(start + step, count)) for start in range(0, count, step)]


def factorised(tangent: sp.csc_matrix) -> sla.SuperLU:
    """Factors of a tangent, pivots on its diagonal as its symmetry allows: a quarter of the time of others."""
    return sla.splu(
        tangent, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )

# SPDX-License-Identifier: LGPL-2.1-or-later
"""St Venant-Kirchhoff solids: energy, forces and tangents of many displacement fields at once."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from softcontact.bodies.material import Material
from softcontact.vademecum.solid_mesh import SolidMesh

__all__ = ["Solid"]

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
        cells, size = mesh.cells.size, len(mesh.nodes)
        self._gather = sp.csr_matrix((np.ones(cells), (mesh.cells.ravel(), np.arange(cells))), (size, cells))
        slopes = np.moveaxis(mesh.gradients, 1, 2)  # (m, a, q, 3)
        self._slopes = np.ascontiguousarray(slopes.reshape(*slopes.shape[:2], -1))
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
        out = np.empty(values.shape)
        for part in self.batches(len(values)):
            _, stress, deformation = self.state(values[part])
            out[part] = self.assemble_force(deformation @ stress)
        return out

    def state(self, values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Green-Lagrange strain, second Piola-Kirchhoff stress [Pa], deformation gradient, each (s, m, q, 3, 3)."""
        deformation = self.gradient(values) + np.eye(3)
        strain = 0.5 * (np.swapaxes(deformation, -1, -2) @ deformation - np.eye(3))
        return strain, self.stress(strain), deformation

    def stress(self, strain: FloatArray) -> FloatArray:
        """λ tr(E) 1 + 2 μ E [Pa] of strains (…, 3, 3)."""
        trace = np.trace(strain, axis1=-2, axis2=-1)[..., None, None]
        return self.lame * trace * np.eye(3) + 2.0 * self.shear * strain

    def assemble_force(self, first_piola: FloatArray) -> FloatArray:
        """Free nodal forces (s, f) [N] of first Piola-Kirchhoff stresses (s, m, q, 3, 3) [Pa]."""
        count, number = first_piola.shape[:2]
        rows = np.moveaxis(first_piola * self.mesh.weights[..., None, None], 3, 2).reshape(
            count, number, 3, -1
        )
        cells = rows @ np.swapaxes(self._slopes, -1, -2)  # (s, m, 3, a)
        flat = np.swapaxes(cells, -1, -2).reshape(count, -1, 3).transpose(1, 0, 2).reshape(-1, 3 * count)
        nodes = (self._gather @ flat).reshape(-1, count, 3).transpose(1, 0, 2)
        return self.restrict(nodes)

    def moduli(self, deformation: FloatArray, stress: FloatArray) -> FloatArray:
        """∂P_iJ/∂F_kL (…, 9, 9) [Pa], row 3 i + J, of F and S (…, 3, 3)."""
        unit = np.eye(3)
        metric = deformation @ np.swapaxes(deformation, -1, -2)
        out = np.einsum("ik,...jl->...ijkl", unit, stress)
        out += self.lame * np.einsum("...ij,...kl->...ijkl", deformation, deformation)
        out += self.shear * np.einsum("...il,...kj->...ijkl", deformation, deformation)
        out += self.shear * np.einsum("...ik,jl->...ijkl", metric, unit)
        return out.reshape(*out.shape[:-4], 9, 9)

    def tangent(self, values: FloatArray) -> sp.csc_matrix:
        """Tangent stiffness (f, f) [N/m] at free components (f,)."""
        _, stress, deformation = self.state(values[None])
        return self.assemble_tangent(self.moduli(deformation[0], stress[0]))

    def assemble_tangent(self, moduli: FloatArray) -> sp.csc_matrix:
        """Stiffness (f, f) [N/m] of moduli (m, q, 9, 9) [Pa]."""
        nodes = self.mesh.cells.shape[1]
        weighted = self.mesh.gradients * self.mesh.weights[..., None, None]
        values = moduli.reshape(*moduli.shape[:2], 3, 3, 3, 3)
        half = np.einsum("cqijkl,cqbl->cqijkb", values, self.mesh.gradients, optimize=True)
        cells = np.einsum("cqaj,cqijkb->caibk", weighted, half, optimize=True)
        cells = cells.reshape(len(cells), (3 * nodes) ** 2)
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

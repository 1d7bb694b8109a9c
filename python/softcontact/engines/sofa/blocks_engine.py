# SPDX-License-Identifier: LGPL-2.1-or-later
"""The engine `sofa` for two elastic blocks."""

from typing import Any

import numpy as np
import Sofa.Core
import Sofa.Simulation

from softcontact.engines.base import FloatArray, SurfaceInfo
from softcontact.engines.block_scene import contact_patches, tributary_areas
from softcontact.engines.sofa.blocks import BlocksGraph
from softcontact.engines.sofa.messages import told_apart
from softcontact.scene.bodies import UPRIGHT
from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene


class SofaBlocksEngine:
    """Two quasi-static blocks in contact in SOFA, the upper one driven.

    Args:
        scene: a scene whose bodies are two elastic blocks, one of them driven.
    Raises:
        SceneError: what SOFA cannot express of it, or blocks that do not lie on each other.
    """

    name = "sofa"
    residual_unit = "m"
    skins: tuple[SurfaceInfo, ...] = ()

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.root = Sofa.Core.Node("root")
        with told_apart():
            self.graph = BlocksGraph(self.root, scene)
        blocks = self.graph.blocks
        self._blocks = {block.body.name: block for block in blocks}
        self._names = (blocks[0].body.name, blocks[1].body.name)
        self.surfaces = tuple(
            SurfaceInfo(
                block.body.name,
                block.body.name,
                block.body.role,
                block.body.color,
                False,
                block.grid.surface[1],
            )
            for block in blocks
        )
        self._areas = tributary_areas(blocks[0].grid, self.graph.contact[0])
        self._count, self._failure = 0, ""
        with told_apart() as errors:
            Sofa.Simulation.init(self.root)
        if errors:
            raise SceneError(f"SOFA cannot initialise the scene: {errors[0]}")

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._count * self.scene.time_step

    def step(self) -> None:
        """Advance by one time step."""
        if self._failure:
            return
        with told_apart() as errors:
            Sofa.Simulation.animate(self.root, self.scene.time_step)
        self._count += 1
        if errors:
            self._failure = f"SOFA: {errors[0]}"
        elif not np.isfinite(self.state()).all():
            self._failure = f"{self._names[0]}: positions or contact forces are not finite"

    def vertices(self, surface: str) -> FloatArray:
        """Positions (k, 3) of a block's surface nodes [m]."""
        block = self._blocks[surface]
        return np.array(block.state.position.value, dtype=float)[block.grid.surface[0]]

    def pose(self, body: str) -> FloatArray:
        """(x, y, z, qx, qy, qz, qw): the block's origin, moved with its driven face."""
        moved = self.graph.driver.moved if body == self._names[0] else 0.0
        return np.concatenate([np.array(self._blocks[body].body.position) + moved, UPRIGHT])

    def joint_positions(self, body: str) -> FloatArray:
        """None: blocks have no joints."""
        return np.zeros(0)

    def patches(self) -> list[dict[str, Any]]:
        """The contact patch, forces on the upper block; none while apart."""
        upper, contact = self.graph.blocks[0], self.graph.readout
        points = np.array(upper.state.position.value, dtype=float)[self.graph.contact[0]]
        return contact_patches(self._names, contact.force, points, self._areas, contact.slip)

    def statistics(self) -> dict[str, Any]:
        """Counts, residual and times of the last step."""
        return self.graph.readout.statistics()

    def energies(self) -> dict[str, float]:
        """Elastic energy [J]; a quasi-static body has no other here."""
        elastic = sum(block.elastic_energy() for block in self.graph.blocks)
        return {"kinetic": 0.0, "elastic": elastic, "potential": 0.0}

    def state(self) -> FloatArray:
        """Displacements of all nodes of both blocks and the contact forces."""
        moved = [block.displacement() for block in self.graph.blocks]
        return np.concatenate([part.ravel() for part in (*moved, self.graph.readout.force)])

    def status(self) -> dict[str, Any]:
        """{ok, message}."""
        return {"ok": not self._failure, "message": self._failure}

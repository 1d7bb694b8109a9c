# SPDX-License-Identifier: LGPL-2.1-or-later
"""The contact problems of a run as FCLIB files, for `softcontact solve` and every other solver that reads them."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from softcontact import outputs
from softcontact.engines import Engine
from softcontact.engines.base import KeepsProblems, StepProblem
from softcontact.scene.errors import SceneError
from softcontact.scene.model import Scene
from softcontact.solver import ContactSolution, residual, write_fclib

_LAW = "u = W r + q; 0 <= r_n _|_ u_n >= 0; |(r_t, r_s)| <= mu r_n, against the slip; (n, t, s) per contact"


def check_problems(scene: Scene, every: Any, record: bool) -> None:
    """See that the contact problems of a scene can be written, before anything is built.

    Args:
        scene: the scene.
        every: number of steps from one file to the next.
        record: whether there is an output folder.
    Raises:
        SceneError: every < 1, no folder to write to, or contacts gathered in patches.
    """
    if not (isinstance(every, int | np.integer) and not isinstance(every, bool) and every >= 1):
        raise SceneError(
            f"dump_problems: {every!r} is not a whole number ≥ 1; give how many steps lie between two problems"
        )
    if not record:
        raise SceneError("dump_problems: the problems need an output folder; leave out record=False")
    gathering = next((body.name for body in scene.bodies if _gathers(body)), None)
    if scene.contact.model == "aggregate" and gathering is not None:
        # A scene in Python may have an option of its own for this.
        option = "contact" if scene.options.get("contact") == "aggregate" else "contact.model"
        raise SceneError(
            f"contact.model: 'aggregate' gathers the contacts of {gathering!r} in patches, rows that FCLIB's "
            f"problems of point contacts cannot hold; add --set {option}=point, or leave out --dump-problems"
        )


def keep_problems(world: Engine) -> None:
    """Have an engine keep its contact problems; before the first step.

    Raises:
        SceneError: it cannot.
    """
    if not isinstance(world, KeepsProblems):
        raise SceneError(
            f"dump_problems: engine {world.name!r} cannot tell its contact problems of this scene; use --engine "
            "embedded, or leave out --dump-problems"
        )
    world.keep_problems()


def _gathers(body: Any) -> bool:
    """Whether some surface of the body makes patches where contacts are aggregated."""
    if body.kind in ("hand", "fingertip"):
        return True
    if body.kind == "articulated":
        return any(link.aggregate and link.shape is not None for link in body.links)
    return bool(getattr(body, "aggregate", False))


class ProblemWriter:
    """Writes the contact problems of every so many steps.

    Args:
        scene: the scene that runs.
        engine: name of the engine.
        folder: where the files go; made here.
        every: number of steps from one file to the next.

    Attributes:
        every: as given.
        written: files written so far.

    Raises:
        OutputError: the folder cannot be made.
    """

    def __init__(self, scene: Scene, engine: str, folder: Path, every: int) -> None:
        self._scene, self._engine, self._folder, self.every = scene, engine, folder, every
        self.written = 0
        outputs.guarded(folder.parent, partial(folder.mkdir, exist_ok=True))

    def step_done(self, step: int, world: Engine) -> None:
        """Write the problem of this step, the first being 1, if it is due and has contacts.

        Raises:
            OutputError: the file cannot be written.
        """
        if step % self.every:
            return
        found = world.contact_problem()
        if found is None:
            return
        outputs.guarded(self._folder.parent, self._write, step, world, found)
        self.written += 1

    def _write(self, step: int, world: Engine, found: StepProblem) -> None:
        problem, figures = found.problem, world.statistics()
        solution = ContactSolution(
            force=found.force,
            velocity=problem.velocity(found.force),
            iterations=figures["iterations"],
            residual=residual(problem, found.force),
            converged=figures["converged"],
            wall_time_s=1e-3 * figures["solve_ms"],
            history=[],
        )
        info = {
            "title": f"SoftContact: scene {self._scene.name}, step {step}",
            "description": self._description(step, problem.contacts, solution),
            "math_info": f"{_LAW}. {found.meaning}.",
        }
        write_fclib(self._folder / f"step-{step:06d}.hdf5", problem, solution, info=info)

    def _description(self, step: int, contacts: int, solution: ContactSolution) -> str:
        import softcontact

        scene = self._scene
        options = json.dumps(scene.options, ensure_ascii=False)
        solved = "to its tolerance" if solution.converged else "not to its tolerance"
        return (
            f"{contacts} contacts of step {step}, h = {scene.time_step:g} s, in scene {scene.name} with options "
            f"{options}, engine {self._engine}, softcontact {softcontact.__version__}. The solution is the one "
            f"that the run went on with, solved {solved} in {solution.iterations} iterations; natural-map residual "
            f"{solution.residual:.3g}."
        )

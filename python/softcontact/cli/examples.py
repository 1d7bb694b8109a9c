# SPDX-License-Identifier: LGPL-2.1-or-later
"""Examples at the end of each command's help."""

import typer

EXAMPLES = {
    "": (
        "softcontact run hand                 # first: a hand grasps a ball; then open the replay",
        "softcontact scenes                   # what else there is to run, with all options",
        "softcontact doctor                   # what this installation has and lacks",
    ),
    "run": (
        "softcontact run hand --set object=bunny --set grasp=precision",
        "softcontact run hand --set object=my.stl --set unit=mm",
        "softcontact run my_scene.py --set angle=35 --out steep",
        "softcontact run out/hand-1/scene.json          # a run again, to the bit",
    ),
    "scenes": (
        "softcontact scenes block",
        "softcontact scenes my_scene.py",
    ),
    "sweep": (
        "softcontact sweep block --param friction=0.1:0.5:5 --param stiffness=500,1000 --out friction",
        "softcontact sweep block --param friction=0.1:0.9 --param young=1e4:4e4 --design lhs --samples 20",
        "softcontact sweep block --param friction=0.1:0.5:5 --param stiffness=500,1000 --out friction --resume",
    ),
    "view": (
        "softcontact view block --set friction=0.3",
        "softcontact view out/hand-1",
        "softcontact view hand --replay",
    ),
    "bench": (
        "softcontact bench table1 --quick",
        "softcontact bench solvers --json solvers.json --out solvers",
        "softcontact bench all --quick --out page",
    ),
    "solve": (
        "softcontact run edge-cube --set contact=point --dump-problems 20 --out edge",
        "softcontact solve edge/problems/step-000040.hdf5 --compare-all",
    ),
    "mesh check": ("softcontact mesh check vase.stl --unit mm",),
    "mesh tetrahedralise": (
        "softcontact mesh tetrahedralise vase.stl vase.vtu --unit mm --edge-length 0.008",
    ),
    "mesh wrap": (
        "softcontact mesh wrap scan.ply closed.stl --unit mm",
        "softcontact mesh wrap vase.stl vase.vtu --unit mm --cell 0.01",
    ),
    "device probe": ("softcontact device probe openhaptics",),
    "device simulate": ("softcontact device simulate --script drag --duration 1 --out session.h5",),
    "device replay": ("softcontact device replay session.h5",),
    "device soak": ("softcontact device soak block --minutes 5 --out soak.json",),
    "track simulate": (
        "softcontact track simulate mine.csv",
        "softcontact run deformable-ball --set track=mine.csv",
    ),
    "track replay": (
        "softcontact run hand --set contact=point --set track=udp://127.0.0.1:26000 &",
        "softcontact track replay grasp --to udp://127.0.0.1:26000",
    ),
    "track record": ("softcontact track record mine.csv --duration 10",),
    "vademecum build": (
        "softcontact vademecum build beam --out beam.h5",
        'softcontact vademecum build part.vtu --unit mm --young 2e9 --clamped "z < 0.002" --force 50 --out part.h5',
    ),
    "vademecum info": ("softcontact vademecum info beam.h5",),
    "vademecum certify": ("softcontact vademecum certify beam.h5 --sizes 0.5,1 --every 4",),
    "vademecum distance": ("softcontact vademecum distance beam.h5 --grid 42,26,61",),
    "vademecum export-web": ("softcontact vademecum export-web beam.h5 --out beam.html",),
}


def epilog(command: str) -> str | None:
    """What the help of a command ends with."""
    lines = EXAMPLES.get(command)
    if lines is None:
        return None
    return "\n".join(["\b", "Example:" if len(lines) == 1 else "Examples:", *(f"  {line}" for line in lines)])


def add_examples(app: typer.Typer, group: str = "") -> None:
    """Give every command of an application its examples."""
    for command in app.registered_commands:
        name = command.name or command.callback.__name__.replace("_", "-")  # type: ignore[union-attr]
        command.epilog = epilog(f"{group} {name}".strip())
    for inner in app.registered_groups:
        assert inner.typer_instance is not None
        add_examples(inner.typer_instance, str(inner.name))

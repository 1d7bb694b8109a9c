# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every numbered figure and table of the five papers, what it shows, and what there is of it here."""

DRAWING = "a drawing of the method"

PLACES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "talvas": (
        (
            "Fig. 1",
            "points against aggregates of a hand that holds a ball",
            "Table 1 above; scene ball-close",
        ),
        ("Figs. 2 to 4", "volume constraint, pressure, torsion", DRAWING),
        ("Fig. 5", "layers of the hand", DRAWING),
        ("Fig. 6", "ball with all fingers; dumbbell with two hands", "softcontact run ball-close, dumbbell"),
        ("Fig. 7", "a pen spun between three fingers", "softcontact run pencil"),
        ("Fig. 8", "a cube held by its edges, uniform and nonuniform pressure", "softcontact run edge-cube"),
        ("Fig. 9", "moments about the grasp of a long object", "softcontact run long-bar"),
        ("Table 1", "contacts, rows, solve, step", "Table 1 above"),
    ),
    "talbi": (
        ("Figs. 1 to 4", "simulator, algorithm, frame, cone", DRAWING),
        ("Fig. 5", "the benchmark of two blocks", "softcontact run blocks"),
        ("Figs. 6 to 9", "iterations, frictions, errors, forces of both schemes", "plots and tables above"),
    ),
    "otaduy": (
        ("Fig. 1", "multirate rendering", DRAWING),
        ("Fig. 2", "liver, hysteroscopy", "softcontact run liver, hysteroscopy"),
        (
            "Fig. 3",
            "forces and timings on the deformable block",
            "plots and tables above; softcontact run block",
        ),
    ),
    "gonzalez": (
        ("Fig. 1", "distance field and pointshell", DRAWING),
        ("Fig. 2", "first modes of the beam", "plot above"),
        ("Fig. 3", "beam against a rigid block", "softcontact run beam"),
        ("Fig. 4", "two beams in a browser", "softcontact vademecum export-web"),
        ("Fig. 5", "two beams on a haptic device", "softcontact run beams, with a simulated device"),
        ("Figs. 6 and 7", "two bunnies", "softcontact run bunny"),
    ),
    "keith": (
        ("Figs. 1 and 2", "frames, program", DRAWING),
        ("Fig. 3", "robot and human avatar move an object together", "softcontact run avatar"),
    ),
}

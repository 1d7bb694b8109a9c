# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every way of detecting contacts × every pair of collision models × both responses: 50 steps or a clear error.

The cases run in processes of their own, many to a process; a crash costs the case that caused it, no more.
"""

import itertools
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("Sofa", reason="SofaPython3 is not on PYTHONPATH: the plugin is not tested in SOFA")

WORKER = Path(__file__).with_name("smoke_worker.py")
INTERSECTIONS = [
    "MinProximityIntersection",
    "LocalMinDistance",
    "NewProximityIntersection",
    "DiscreteIntersection",
    "CCDTightInclusionIntersection",
]
# Detection, and the intersection methods to try it with: some measure by themselves and take two distances only.
DETECTIONS = [
    (["BruteForceBroadPhase", "BVHNarrowPhase"], INTERSECTIONS),
    (["BruteForceBroadPhase", "DirectSAPNarrowPhase"], INTERSECTIONS),
    (["IncrSAP"], INTERSECTIONS),
    (["BruteForceBroadPhase", "RayTraceNarrowPhase"], INTERSECTIONS[:1]),
    (["BruteForceBroadPhase", "SurfaceNarrowPhase"], INTERSECTIONS[:1]),
]
MODELS = ["Point", "Line", "Triangle", "TriangleOctree", "Sphere", "RigidSphere", "Tetrahedron", "Cylinder"]
RESPONSES = ["AggregateVolume", "FrictionContactConstraint"]
LOOPS = ["FreeMotionAnimationLoop", "TwoPassAnimationLoop"]
STEPS = 50
PROCESSES = min(4, os.cpu_count() or 1)
PATIENCE = 40  # seconds for a case
ERROR = re.compile(r"\[(?:ERROR|FATAL)\]\s*(.*)")


def matrix():
    """All cases. Loops and fixed or free obstacles take turns, so that each meets every method and model."""
    methods = [(detection, method) for detection, intersections in DETECTIONS for method in intersections]
    cases = []
    for (m, (detection, intersection)), response in itertools.product(enumerate(methods), RESPONSES):
        for (u, upper), (w, lower) in itertools.product(enumerate(MODELS), enumerate(MODELS)):
            case = {"detection": detection, "intersection": intersection, "models": [upper, lower]}
            turns = {"loop": LOOPS[(m + u) % 2], "fixed": bool((m // 2 + u + w) % 2)}
            cases.append({**case, **turns, "response": response})
    return cases


def parse(log):
    """What a worker's log says: {index: result}, with SOFA's errors, and the case it was in when it ended."""
    results, current, errors = {}, None, []
    for line in log.splitlines():
        if line.startswith("@@start "):
            current, errors = int(line.split()[1]), []
        elif line.startswith("@@end "):
            _, index, text = line.split(maxsplit=2)
            results[int(index)] = {**json.loads(text), "errors": errors}
            current = None
        elif found := ERROR.search(line):
            errors.append(found.group(1))
    return results, current


def wait_while_growing(process, log):
    """Waits for a worker that goes on writing its log; ends one that hangs. Returns its exit code."""
    size = -1
    while True:
        try:
            return process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            if log.stat().st_size == size:
                process.kill()
                return process.wait()
            size = log.stat().st_size


def run_share(cases, folder, name):
    """Runs cases one process after another until all have a result; returns the results in order."""
    file = folder / f"{name}.json"
    file.write_text(json.dumps(cases))
    results, first = {}, 0
    while first < len(cases):
        log = folder / f"{name}-{first}.log"
        with log.open("w") as out:
            process = subprocess.Popen(
                [sys.executable, str(WORKER), str(file), str(first)], stdout=out, stderr=subprocess.STDOUT
            )
            code = wait_while_growing(process, log)
        done, current = parse(log.read_text(errors="replace"))
        results.update(done)
        if len(results) == len(cases):
            break
        assert current is not None, f"the worker ended with {code} outside a case:\n{log.read_text()[-2000:]}"
        results[current] = {"crash": code, "rows": 0, "steps": 0, "finite": True, "errors": []}
        first = current + 1
    return [results[i] for i in range(len(cases))]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """[(case, result)] of the whole matrix."""
    folder = tmp_path_factory.mktemp("smoke")
    cases = matrix()
    shares = [cases[k::PROCESSES] for k in range(PROCESSES)]
    with ThreadPoolExecutor(PROCESSES) as pool:
        results = list(pool.map(lambda k: run_share(shares[k], folder, f"share{k}"), range(PROCESSES)))
    return [
        pair
        for share, result in zip(shares, results, strict=True)
        for pair in zip(share, result, strict=True)
    ]


def label(case):
    return " ".join(
        ["+".join(case["detection"]), case["intersection"], "-".join(case["models"]), case["response"]]
    )


def listed(pairs):
    return f"{len(pairs)} cases:\n" + "\n".join(f"{label(case)}: {result}" for case, result in pairs[:20])


def test_no_case_crashes_or_hangs(outcome):
    methods = sum(len(intersections) for _, intersections in DETECTIONS)
    assert len(outcome) == methods * len(MODELS) ** 2 * len(RESPONSES)
    crashed = [pair for pair in outcome if "crash" in pair[1]]
    assert not crashed, listed(crashed)


def test_each_aggregate_case_runs_its_steps_or_says_why_not(outcome):
    # SOFA's own contact is here to compare with: it turns lines under CCD into NaN, without a word.
    def clear(result):
        complete = result["steps"] == STEPS and result["finite"] and result.get("time", 0) > 0
        return complete or any(len(text) > 20 for text in [*result["errors"], result.get("raised", "")])

    ours = [pair for pair in outcome if pair[0]["response"] == "AggregateVolume"]
    unclear = [pair for pair in ours if not clear(pair[1])]
    assert not unclear, listed(unclear)


def test_aggregate_contact_acts_wherever_sofas_own_does(outcome):
    def key(case):
        return json.dumps({**case, "response": ""}, sort_keys=True)

    rows = {(key(case), case["response"]): (case, result) for case, result in outcome}
    missing = []
    touching = set()
    for (which, response), (case, result) in rows.items():
        if response != "FrictionContactConstraint" or result["rows"] == 0 or not result["finite"]:
            continue
        touching.add((case["intersection"], *case["models"]))
        other = rows[which, "AggregateVolume"]
        if other[1]["rows"] == 0 or not other[1]["finite"]:
            missing.append(other)
    assert not missing, listed(missing)
    # Guards the scenes: most pairs that SOFA knows do meet within the steps.
    assert len(touching) >= 80, sorted(touching)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""A live scene whose tool a real device holds, against a stub of the vendor's library."""

from test_openhaptics import BEGIN, commands, pytestmark, run, stub

__all__ = ["pytestmark", "stub"]


def test_a_device_takes_the_tool_up_and_feels_the_tissue(stub):
    told = run(
        BEGIN
        + """
from softcontact.live import open_scene
from softcontact.scene.library import load
place(0, (30.0, 50.0, -20.0))  # mm, wherever the hand happens to hold it; the library's y points up
with open_scene(load("block", {}), "openhaptics") as live:
    start = live.steering.start
    live.start()
    wait(lambda: live.read().time > 0.05 and live.frame.number > 2)
    begun = np.abs(live.frame.device[:3] - start).max()
    free = abs(live.read().normal)
    for k in range(1, 61):
        place(0, (30.0, 50.0 - 0.11 * k, -20.0))
        time.sleep(0.01)
    wait(lambda: live.read().normal > 0.2)
    wait(lambda: felt(0)[1] > 0.2)
    limits = live._session.limits["max_force"]
    try:
        live.move(start)
        refused = ""
    except ValueError as error:
        refused = str(error)
    live.restart()
    wait(lambda: live.read().time > 0.05)
    again = np.abs(live.frame.device[:3] - start).max()
print(json.dumps([begun, free, limits, refused, again, stub.stub_open()]))
""",
        stub,
    )
    begun, free, limits, refused, again, still_open = told
    assert begun < 1e-6 and free < 0.02 and limits <= 3.3
    assert "a device moves this tool" in refused
    assert again < 1e-6 and still_open == 0


def test_without_a_device_cause_and_remedy_are_told(tmp_path):
    words = ["view", "block", "--device", "openhaptics", "--no-browser", "--port", "0"]
    ((code, out, err),) = commands([("", words)], tmp_path)
    assert code == 2 and out == "" and err.count("\n") == 1
    assert "the vendor's library libHD was not found" in err and "LD_LIBRARY_PATH" in err

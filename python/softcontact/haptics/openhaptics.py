# SPDX-License-Identifier: LGPL-2.1-or-later
"""Devices of 3D Systems through the package pyopenhaptics and the vendor's library libHD.

pyopenhaptics loads the library; Python opens the device and hands the addresses of the library's functions and of the
core's callback over. From then on the library's servo thread and the fast thread meet in the core alone.
"""

import ctypes
import importlib
import importlib.util
import threading
import time
from dataclasses import dataclass
from typing import Any

from softcontact import _core
from softcontact.extras import how_to_install
from softcontact.haptics.device import Capabilities

PACKAGE = "pyOpenHaptics"
DEFAULT = "Default Device"

_FRAME_CALLS = (
    "hdMakeCurrentDevice",
    "hdBeginFrame",
    "hdEndFrame",
    "hdGetDoublev",
    "hdGetIntegerv",
    "hdSetDoublev",
    "hdGetError",
)
_OTHER_CALLS = (
    "hdInitDevice",
    "hdDisableDevice",
    "hdEnable",
    "hdGetString",
    "hdStartScheduler",
    "hdStopScheduler",
    "hdScheduleAsynchronous",
    "hdUnschedule",
    "hdCheckCalibration",
)
_CALIBRATION = {
    0x5001: (
        "it needs its calibration updated",
        "put the stylus into the inkwell for a moment and try again",
    ),
    0x5002: (
        "it has to be calibrated by hand",
        "run the vendor's Touch Diagnostic, choose Calibrate, follow it, and try again",
    ),
}
# Cause and remedy of what the library reports.
_ERRORS = {
    0x0200: ("its motors are too warm", "let it rest for some minutes"),
    0x0201: ("it was asked for more force than it has", "lower max_force"),
    0x0202: ("its force changed too fast", "lower max_force_rate"),
    0x0203: ("it was moved too fast", "move it more slowly and reset the session"),
    0x0204: ("it reports a force error", "switch it off and on"),
    0x0300: ("it reports a fault of its hardware", "switch it off and on, and check its cable"),
    0x0301: ("it is in use by this or another program", "end the other program, or close the other session"),
    0x0302: ("it does not answer", "check that it is plugged in and switched on"),
    0x0303: (
        "no device of this name is configured",
        "run the vendor's Touch Setup and give the name that is configured there",
    ),
    0x0304: ("the driver's timer failed", "restart the computer's Touch driver"),
    0x0600: (
        "the vendor's licence is missing or has run out",
        "install OpenHaptics' licence (its folder is named by the variable OH_SDK_BASE) and try again",
    ),
}
_OTHER_ERROR = "switch the device off and on, and run the vendor's Touch Diagnostic"


class DeviceFault(ValueError):
    """A device that cannot be had: one cause and one remedy."""

    def __init__(self, what: str, cause: str, remedy: str) -> None:
        super().__init__(f"{what}: {cause}; {remedy}")
        self.cause, self.remedy = cause, remedy


def fault_text(code: int) -> tuple[str, str]:
    """Cause and remedy of an error code of the library."""
    return _ERRORS.get(code, (f"the library reports error 0x{code:04x}", _OTHER_ERROR))


def load() -> Any:
    """The module pyOpenHaptics.hd with the library loaded.

    Raises:
        DeviceFault: package or library is missing, or the library is too old.
    """
    if importlib.util.find_spec(PACKAGE) is None:
        raise DeviceFault(
            "openhaptics", "the package pyopenhaptics is not installed", how_to_install("haptics")
        )
    try:
        module = importlib.import_module(f"{PACKAGE}.hd")
        library = module._lib_hd
    except OSError as error:
        name = str(error).split(":")[0]
        if name.startswith("lib") and not name.startswith("libHD"):
            raise DeviceFault(
                "openhaptics",
                f"libHD needs {name}, which was not found",
                f"install the system's package with {name}",
            ) from None
        raise DeviceFault(
            "openhaptics",
            "the vendor's library libHD was not found",
            "install OpenHaptics and the Touch driver of 3D Systems, and name the folder of libHD.so in "
            "LD_LIBRARY_PATH",
        ) from None
    except (AttributeError, NameError):
        raise DeviceFault(
            "openhaptics", "pyopenhaptics knows no library for this system", "use Linux or Windows"
        ) from None
    missing = [name for name in (*_FRAME_CALLS, *_OTHER_CALLS) if not hasattr(library, name)]
    if missing:
        raise DeviceFault(
            "openhaptics", f"the library libHD has no {missing[0]}", "install OpenHaptics 3.4 or newer"
        )
    return module


class _Library:
    """The library's functions with their types, and the scheduler that all devices share."""

    def __init__(self) -> None:
        module = load()
        self.define = importlib.import_module(f"{PACKAGE}.hd_define")
        # A view of its own: pyopenhaptics changes the types of the functions as it goes.
        self.call = ctypes.CDLL(module._lib_hd._name, handle=module._lib_hd._handle)
        call, word = self.call, ctypes.c_uint
        call.hdInitDevice.argtypes, call.hdInitDevice.restype = [ctypes.c_char_p], word
        call.hdGetError.restype = self.define.HDErrorInfo
        call.hdGetString.argtypes, call.hdGetString.restype = [word], ctypes.c_char_p
        call.hdScheduleAsynchronous.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ushort]
        call.hdScheduleAsynchronous.restype = ctypes.c_ulong
        call.hdUnschedule.argtypes = [ctypes.c_ulong]
        call.hdCheckCalibration.restype = word
        for name in ("hdMakeCurrentDevice", "hdDisableDevice", "hdEnable"):
            getattr(call, name).argtypes = [word]
        self.addresses = {
            name: ctypes.cast(getattr(call, name), ctypes.c_void_p).value for name in _FRAME_CALLS
        }

    def error(self) -> int:
        """The oldest error that nobody asked for yet; 0: none."""
        return self.call.hdGetError().errorCode

    def numbers(self, what: int, count: int) -> list[float]:
        """Numbers of the current device."""
        out = (ctypes.c_double * count)(*[float("nan")] * count)
        self.call.hdGetDoublev(ctypes.c_uint(what), out)
        return [float("nan")] * count if self.error() else list(out)

    def whole(self, what: int) -> int:
        """A whole number of the current device; 0 where it does not tell."""
        out = ctypes.c_int(0)
        self.call.hdGetIntegerv(ctypes.c_uint(what), ctypes.byref(out))
        return 0 if self.error() else out.value

    def text(self, what: int) -> str:
        """A name of the current device."""
        return (self.call.hdGetString(what) or b"").decode("utf-8", "replace")


_lock = threading.Lock()
_open: dict[int, tuple[_Library, int, int]] = {}  # by address of the core's device: library, handle, schedule


@dataclass(frozen=True)
class OpenHaptics:
    """A device of 3D Systems.

    Attributes:
        name: as the vendor's setup program knows it.
    """

    name: str = DEFAULT

    def open(self, period: float) -> Any:
        """See Device.open.

        Raises:
            DeviceFault: package, library, licence, device or calibration are missing; one cause, one remedy.
        """
        with _lock:
            library = _Library()
            handle, capabilities = _initialise(library, self.name)
            try:
                device = _core.OpenHapticsDevice(library.addresses, handle, capabilities.as_dict())
                library.call.hdEnable(library.define.HD_FORCE_OUTPUT)
                schedule = library.call.hdScheduleAsynchronous(
                    _core.OpenHapticsDevice.callback,
                    device.argument,
                    library.define.HD_MAX_SCHEDULER_PRIORITY,
                )
                if not _open:
                    library.call.hdStartScheduler()
                if code := library.error():
                    raise DeviceFault(f"openhaptics {self.name!r}", *fault_text(code))
            except BaseException:
                library.call.hdDisableDevice(handle)
                raise
            _open[device.argument] = (library, handle, schedule)
            return device

    def close(self, core: Any) -> None:
        """Give the device back, with zero force."""
        with _lock:
            library, handle, schedule = _open.pop(core.argument)
            core.close()
            _wait_for_frame(core)
            # The library must not call a device that is gone: unscheduling waits for the frame in progress.
            library.call.hdUnschedule(schedule)
            if not _open:
                library.call.hdStopScheduler()
            library.call.hdDisableDevice(handle)


def probe(name: str = DEFAULT) -> Capabilities:
    """Open a device, see what it can do, and close it.

    Raises:
        DeviceFault: it cannot be had; one cause and one remedy.
    """
    with _lock:
        library = _Library()
        handle, capabilities = _initialise(library, name)
        library.call.hdDisableDevice(handle)
        return capabilities


def _initialise(library: _Library, name: str) -> tuple[int, Capabilities]:
    """Handle and capabilities of a device that is ready.

    Raises:
        DeviceFault: it cannot be had.
    """
    library.error()  # of whatever was before
    handle = library.call.hdInitDevice(None if name == DEFAULT else name.encode())
    if (code := library.error()) or handle == library.define.HD_INVALID_HANDLE:
        raise DeviceFault(f"openhaptics {name!r}", *fault_text(code or 0x0302))
    library.call.hdMakeCurrentDevice(handle)
    state = library.call.hdCheckCalibration()
    if state in _CALIBRATION:
        library.call.hdDisableDevice(handle)
        raise DeviceFault(f"openhaptics {name!r}", *_CALIBRATION[state])
    library.error()
    return handle, _capabilities(library)


def _capabilities(library: _Library) -> Capabilities:
    """Of the current device; millimetres become metres, N/mm N/m, mN m N m."""
    define = library.define
    axes, driven = library.whole(define.HD_INPUT_DOF), library.whole(define.HD_OUTPUT_DOF)
    box = [1e-3 * v for v in library.numbers(define.HD_MAX_WORKSPACE_DIMENSIONS, 6)]
    torque = library.numbers(define.HD_NOMINAL_MAX_TORQUE_FORCE, 1)[0] if driven > 3 else 0.0
    return Capabilities(
        model=" ".join(
            [library.text(define.HD_DEVICE_VENDOR), library.text(define.HD_DEVICE_MODEL_TYPE)]
        ).strip(),
        max_force=library.numbers(define.HD_NOMINAL_MAX_FORCE, 1)[0],
        max_continuous_force=library.numbers(define.HD_NOMINAL_MAX_CONTINUOUS_FORCE, 1)[0],
        max_torque=1e-3 * torque,
        max_stiffness=1e3 * library.numbers(define.HD_NOMINAL_MAX_STIFFNESS, 1)[0],
        # The library's z points to the user: our y is away from them, our z up.
        workspace_lower=(box[0], -box[5], box[1]),
        workspace_upper=(box[3], -box[2], box[4]),
        rotation_axes=max(0, axes - 3),
        force_axes=min(3, driven) or 3,
        torque_axes=max(0, driven - 3),
    )


def _wait_for_frame(core: Any, most: float = 0.2) -> None:
    """Until the servo thread has sent the zero force, or does not run any more."""
    seen, end = core.frames, time.monotonic() + most
    while core.frames == seen and time.monotonic() < end:
        time.sleep(0.001)

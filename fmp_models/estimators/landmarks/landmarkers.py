"""Lifetime of MediaPipe's native landmarkers: a separate thread closes each one after its owner is garbage-collected.

Garbage collection can run anywhere, even while a thread pool holds its locks. Closing a landmarker also uses a
thread pool, so closing it during garbage collection could deadlock.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Callable
from functools import cache
from pathlib import Path
from queue import SimpleQueue

import numpy as np
from mediapipe import Image, ImageFormat
from mediapipe.tasks.python import BaseOptions
from mediapipe.tasks.python.vision import PoseLandmarker, PoseLandmarkerOptions, PoseLandmarkerResult, RunningMode
from numpy.typing import NDArray

from fmp_models.errors import BadInputError
from fmp_models.estimators.landmarks.native_notices import NOTICES_HELD

# On Windows MediaPipe has treated absolute paths as relative to its own folder, and misread non-ASCII letters.
_GIVES_BYTES = os.name == "nt"
_gone: SimpleQueue[PoseLandmarker] = SimpleQueue()  # its put is reentrant; garbage collection can run at any time
_open: weakref.WeakSet[PoseLandmarker] = weakref.WeakSet()
_found_somebody = threading.Event()


def base_options(path: Path) -> BaseOptions:
    """Return MediaPipe's options for a model file on the CPU; raise ``pose_model_unreadable``."""
    if not _GIVES_BYTES:
        return BaseOptions(model_asset_path=str(path), delegate=BaseOptions.Delegate.CPU)
    try:
        return BaseOptions(model_asset_buffer=path.read_bytes(), delegate=BaseOptions.Delegate.CPU)
    except OSError:
        raise BadInputError("pose_model_unreadable") from None


def open_landmarker(owner: object, options: PoseLandmarkerOptions) -> PoseLandmarker:
    """Open a landmarker that is closed after its ``owner`` is collected; raise ``pose_model_unreadable``."""
    _start_closing()
    try:
        with NOTICES_HELD:
            landmarker = PoseLandmarker.create_from_options(options)
    except (RuntimeError, ValueError, OSError):
        raise BadInputError("pose_model_unreadable") from None
    _open.add(landmarker)
    weakref.finalize(owner, _gone.put, landmarker).atexit = False
    return landmarker


def detected(detect: Callable[..., PoseLandmarkerResult], *arguments: object) -> PoseLandmarkerResult:
    """Return what a method of a landmarker finds; there are notices until the first person in a process is found."""
    if _found_somebody.is_set():
        return detect(*arguments)
    with NOTICES_HELD:
        result = detect(*arguments)
    if result.pose_landmarks:
        _found_somebody.set()
    return result


def open_video_landmarker(owner: object, model: Path, certain: float) -> PoseLandmarker:
    """As :func:`open_landmarker`, for one person over frames; ``certain`` is the least confidence of a detection."""
    options = PoseLandmarkerOptions(
        base_options=base_options(model),
        running_mode=RunningMode.VIDEO,
        min_pose_detection_confidence=certain,
        min_tracking_confidence=certain,
    )
    return open_landmarker(owner, options)


def picture(pixels: NDArray[np.uint8]) -> Image:
    """Return MediaPipe's picture of RGB pixels (h, w, 3) that lie in one piece."""
    return Image(image_format=ImageFormat.SRGB, data=pixels)


@cache
def _start_closing() -> None:
    threading.Thread(target=_close_on, name="landmarkers", daemon=True).start()
    atexit.register(_leave_open)


def _close_on() -> None:
    while True:
        landmarker = _gone.get()
        try:
            with NOTICES_HELD:
                landmarker.close()
        except RuntimeError:  # the process exits, which frees the native model
            landmarker._handle = None  # noqa: SLF001
        del landmarker


def _leave_open() -> None:
    """Let the exiting process free open landmarkers.

    MediaPipe's own threads end before they could be closed, and a destructor would print a traceback.
    """
    for landmarker in list(_open):
        landmarker._handle = None  # noqa: SLF001

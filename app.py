"""The FixMyPose app: settings, the page, and a clean end when it is asked to stop."""

from __future__ import annotations

import signal
import sys
import threading

from demo.settings import SettingsError, read_settings


def main() -> int:
    """Serve the page until SIGINT or SIGTERM; 2 when a setting or the pose model cannot be used."""
    try:
        settings = read_settings()
    except SettingsError as error:
        return refuse(str(error))

    # Slow to import, so a wrong setting is told first.
    from demo import shell  # noqa: PLC0415
    from fmp_models.errors import BadInputError  # noqa: PLC0415
    from fmp_models.estimators import MediaPipeEstimator  # noqa: PLC0415
    from fmp_models.pipelines import Corrector  # noqa: PLC0415
    from fmp_models.pose_model import find_pose_model  # noqa: PLC0415

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        model = find_pose_model(settings.pose_model, settings.data_dir / "models")
        page = shell.build(Corrector(MediaPipeEstimator(model)))
    except BadInputError as error:
        return refuse(str(error))
    try:
        page.launch(settings)
    except OSError:
        page.close()
        return refuse(f"FMP_PORT must be a free port; {settings.port} is taken.")
    sys.stdout.write(f"FixMyPose is ready: {settings.address}\n")
    sys.stdout.flush()
    stop.wait()
    page.close()
    return 0


def refuse(sentence: str) -> int:
    """Say why the app cannot start."""
    sys.stderr.write(f"{sentence}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())

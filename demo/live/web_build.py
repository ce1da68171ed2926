"""MediaPipe's web build for pose estimation in a visitor's browser: downloaded from npm and served by the app.

It is the last version before 1.0: later builds send usage data to Google. ``make venv`` puts its files into the
environment; elsewhere, as on a Space, the app downloads them at startup. Without them browsers send frames.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from demo.serving import LIVE_PREFIX
from fmp_models.common import OneSentenceParser, replace_file, run_command
from fmp_models.errors import BadInputError
from fmp_models.estimators import OfficialModel, download_official, file_revision

PACKAGE = OfficialModel(
    "https://registry.npmjs.org/@mediapipe/tasks-vision/-/tasks-vision-0.10.35.tgz",
    frozenset({"84597a25e13d123b5f4cbe768bb72e97a2c28c7a465f0ace287d8cbe5246bff0"}),
)
WEB_BUILD_NAME = PACKAGE.name.removesuffix(".tgz")
WEB_BUILD = Path(sys.prefix) / "share" / "fixmypose" / WEB_BUILD_NAME
SCRIPT = "text/javascript"
# The build for browsers with SIMD and module workers; other browsers are too slow and send frames.
MEMBERS = {
    "vision_bundle.mjs": SCRIPT,
    "wasm/vision_wasm_module_internal.js": SCRIPT,
    "wasm/vision_wasm_module_internal.wasm": "application/wasm",
}
_PACKED_BYTES = 3_400_000  # all files, compressed
_FILES = f"{LIVE_PREFIX}looking/"
_MODEL = "pose_landmarker.task"
_SECONDS = 20.0  # timeout of the registry
_FOR_A_YEAR = {"cache-control": "public, max-age=31536000, immutable", "vary": "accept-encoding"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Download the missing files; return 2 after an error of one sentence if they are not available."""
    parser = OneSentenceParser(prog="python -m demo.live.web_build", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, default=WEB_BUILD, help="the folder for them (default: in this environment)"
    )
    parser.set_defaults(run=_run)
    return run_command(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    fetch_web_build(options.out)
    return 0


def is_whole_build(folder: Path) -> bool:
    """Return whether every file is there."""
    return all(_packed(folder, name).is_file() for name in MEMBERS)


def fetch_web_build(folder: Path, package: OfficialModel = PACKAGE) -> None:
    """Download missing files to the folder, compressed as served; raise ``web_build_missing``, ``folder_unusable``."""
    if is_whole_build(folder):
        return
    with tempfile.TemporaryDirectory(prefix="fixmypose-") as temporary:
        archive = Path(temporary) / package.name
        if not download_official(package, archive, _SECONDS):
            raise BadInputError("web_build_missing", url=package.url)
        files = _unpacked(archive)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            packed = gzip.compress(content, mtime=0)
            replace_file(_packed(folder, name), partial(Path.write_bytes, data=packed))
    except OSError:
        raise BadInputError("folder_unusable", path=str(folder)) from None


def _unpacked(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as opened:  # its hash was checked
        read = {name: opened.extractfile(f"package/{name}") for name in MEMBERS}
        return {name: file.read() for name, file in read.items() if file is not None}


def _packed(folder: Path, name: str) -> Path:
    return folder / f"{Path(name).name}.gz"


@dataclass(frozen=True)
class WebBuild:
    """The files for pose estimation in a browser: MediaPipe's from the first complete folder, and the app's scripts."""

    model: Path
    scripts: tuple[Path, ...]  # modules of this app
    folders: tuple[Path, ...]

    @property
    def revision(self) -> str:
        """Hash of all files; URLs contain it, so that a browser requests each file once."""
        parts = [*PACKAGE.hashes, file_revision(self.model), *map(file_revision, self.scripts)]
        return hashlib.sha256("".join(parts).encode()).hexdigest()[:12]

    @property
    def address(self) -> str:
        """The folder of the files, relative to the URL of the page."""
        return f"{_FILES.lstrip('/')}{self.revision}/"

    @property
    def megabytes(self) -> int:
        """Size of the download of a browser."""
        return round((self.model.stat().st_size + _PACKED_BYTES) / 1e6)

    def route(self) -> Route:
        """Return the route of the files; it answers 404 for a file that is not (yet) there."""
        revision, ours = self.revision, {path.name: path for path in self.scripts}
        types = {Path(name).name: kind for name, kind in MEMBERS.items()}

        async def answer(request: Request) -> Response:
            name = request.path_params["name"]
            if request.path_params["revision"] != revision:
                return Response(status_code=404)
            if name == _MODEL:
                return FileResponse(self.model, media_type="application/octet-stream", headers=_FOR_A_YEAR)
            if name in ours:
                return FileResponse(ours[name], media_type=SCRIPT, headers=_FOR_A_YEAR)
            folder = next(filter(is_whole_build, self.folders), None)
            if folder is None or name not in types:
                return Response(status_code=404)
            packed = _packed(folder, name)
            if "gzip" not in request.headers.get("accept-encoding", ""):
                content = await anyio.to_thread.run_sync(lambda: gzip.decompress(packed.read_bytes()))  # up to 12 MB
                return Response(content, media_type=types[name], headers=_FOR_A_YEAR)
            return FileResponse(packed, media_type=types[name], headers=_FOR_A_YEAR | {"content-encoding": "gzip"})

        return Route(f"{_FILES}{{revision}}/{{name}}", answer, methods=["GET"])


if __name__ == "__main__":
    sys.exit(main())

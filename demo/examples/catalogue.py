"""Examples of the page and their routes: pictures of rendered people, as pairs, one search and one sequence of poses.

Most are rendered by ``python -m demo.examples.render``; the last pair and the search come from the sample of the
simulator's dataset. Licence: the bodies come from Anny (code Apache-2.0, data CC0); the pictures are under the MIT
licence of this project.

The routes serve their pictures, the preview picture of shared links, and the answer to each pair.
"""

from __future__ import annotations

import io
import logging
import threading
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
from anyio import CapacityLimiter
from PIL import Image
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from demo.i18n import asked_language, languages, text
from demo.views import correction_html, in_other_languages
from fmp_models.data import sample_rows
from fmp_models.languages import LANGUAGES

if TYPE_CHECKING:
    from starlette.requests import Request

    from fmp_models.inference import Corrector


FOLDER = Path(__file__).parent
SALUTATION = (
    "prayer",
    "raised_arms",
    "half_forward_fold",
    "low_lunge",
    "plank",
    "cobra",
    "downward_dog",
    "mountain",
)
STUDIO = ("warrior", "squat", "tree", "side_stretch", "lunge")
SEARCHED = "test_unseen"  # no bundled retriever was trained on it
SIMULATED = {"living_room": "0_0_0_0_0"}  # pairs of the sample's captioning configuration


@dataclass(frozen=True)
class ExamplePair:
    """A named pair; both pictures are JPEG files of one person before one camera."""

    name: str
    current: bytes
    target: bytes


def _from_studio(name: str) -> ExamplePair:
    return ExamplePair(name, *((FOLDER / f"{name}_{which}.jpg").read_bytes() for which in ("current", "target")))


def _from_sample() -> list[ExamplePair]:
    rows = {row["uid"]: row for row in sample_rows("captioning", "train")}
    return [
        ExamplePair(name, rows[uid]["current"]["bytes"], rows[uid]["target"]["bytes"])
        for name, uid in SIMULATED.items()
    ]


@dataclass(frozen=True)
class ExampleSearch:
    """A query of the simulator's retrieval configuration; ``descriptions`` are by language."""

    current: bytes
    descriptions: dict[str, str]
    candidates: tuple[bytes, ...]
    answer: int


def _search() -> ExampleSearch:
    row = next(iter(sample_rows("retrieval", SEARCHED)))
    return ExampleSearch(
        row["current"]["bytes"],
        {code: texts[0] for code in LANGUAGES if (texts := row[f"descriptions_{code}"])},
        tuple(candidate["bytes"] for candidate in row["candidates"]),
        row["answer"],
    )


@dataclass(frozen=True)
class ExamplePose:
    """A named pose and the JPEG file of a person in it."""

    name: str
    picture: bytes


RETRIEVAL = _search()
EXAMPLES: tuple[ExamplePair, ...] = (*map(_from_studio, STUDIO), *_from_sample())


def _of_salutation(name: str) -> ExamplePose:
    return ExamplePose(name, (FOLDER / "sun_salutation" / f"{name}.jpg").read_bytes())


SUN_SALUTATION: tuple[ExamplePose, ...] = tuple(map(_of_salutation, SALUTATION))
SIDED = ("low_lunge",)  # poses with the right leg back; every second round uses the left leg and a mirrored picture
OTHER_LEG = {name: _of_salutation(f"{name}_left") for name in SIDED}


OPENING = "squat"  # shown when the page opens: three steps, and every limb moves
PREFIX = "/examples/"
_PAUSE = 3.0  # seconds between examples answered in advance: visitors have priority
_SMALL = (168, 224)  # pixels: maximum size of a picture in the strip
_QUALITY = 80
_FOR_A_DAY = {"cache-control": "public, max-age=86400"}
_ASKED_AGAIN = {"cache-control": "no-cache"}  # the HTML must match the scripts of the same release
_log = logging.getLogger(__name__)


@cache
def pictures() -> dict[str, bytes]:
    """Return every picture of the examples by its name, such as ``warrior_current`` for a pair."""
    pairs = {f"{pair.name}_{which}": getattr(pair, which) for pair in EXAMPLES for which in ("current", "target")}
    candidates = {f"search_{number}": picture for number, picture in enumerate(RETRIEVAL.candidates)}
    return {**pairs, **candidates, "search_current": RETRIEVAL.current}


@cache  # limited by the number of names
def small(name: str) -> bytes:
    """Return a picture in the size of the strip."""
    with Image.open(io.BytesIO(pictures()[name])) as opened:
        opened.thumbnail(_SMALL)
        written = io.BytesIO()
        opened.save(written, "JPEG", quality=_QUALITY, optimize=True)
    return written.getvalue()


@dataclass
class ExampleRoutes:
    """The routes; each answer is computed once, by the default model, and cached."""

    corrector: Corrector | None  # None if the models are closed
    _answers: dict[tuple[str, str], str] = field(default_factory=dict)
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _limiter: CapacityLimiter | None = None

    def routes(self) -> list[Route]:
        """Return the routes to serve."""
        served = {"picture": _picture, "share.jpg": _share_picture, "answer": self._answer}
        return [Route(PREFIX + name, handler, methods=["GET"]) for name, handler in served.items()]

    def prepare(self) -> None:
        """Compute all answers in the background, the one of the opening example first."""
        threading.Thread(target=self._prepare, name="examples", daemon=True).start()

    def _prepare(self) -> None:
        names = sorted((pair.name for pair in EXAMPLES), key=lambda name: name != OPENING)
        try:
            for name in names if self.corrector else ():
                for language in languages():
                    self.answer(name, language)
                time.sleep(_PAUSE)
        except Exception:  # noqa: BLE001 - each is tried again when it is asked for
            _log.exception("the examples could not be precomputed")

    def answer(self, name: str, language: str) -> str | None:
        """Return the HTML of an example's answer; None for an unknown name or language."""
        pair = next((pair for pair in EXAMPLES if pair.name == name), None)
        if pair is None or language not in languages() or self.corrector is None:
            return None
        with self._turn:  # one at a time: visitors' own photographs have priority
            if (name, language) not in self._answers:
                correction, measurements = self.corrector.correct(pair.current, pair.target, language=language)
                others = in_other_languages(self.corrector, correction, measurements)
                self._answers[name, language] = correction_html(
                    correction, measurements, same_picture=False, translated=others
                )
            return self._answers[name, language]

    async def _answer(self, request: Request) -> Response:
        name, language = (request.query_params.get(key, "") for key in ("name", "language"))
        html = self._answers.get((name, language))
        if html is None:
            self._limiter = self._limiter or CapacityLimiter(1)
            try:
                html = await anyio.to_thread.run_sync(self.answer, name, language, limiter=self._limiter)
            except Exception:  # noqa: BLE001 - logged with its traceback, which a visitor never meets
                _log.exception("an example failed")
                return _told("faults.ours", request, 500)
        return _unknown(request) if html is None else Response(html, media_type="text/html", headers=_ASKED_AGAIN)


async def _picture(request: Request) -> Response:
    """Return one picture of an example, full size or ``size=small``."""
    name = request.query_params.get("name", "")
    if name not in pictures():
        return _unknown(request)
    is_small = request.query_params.get("size") == "small"
    picture = await anyio.to_thread.run_sync(small, name) if is_small else pictures()[name]
    return Response(picture, media_type="image/jpeg", headers=_FOR_A_DAY)


async def _share_picture(_: Request) -> Response:
    """Return the preview picture of shared links."""
    return Response(_share_file(), media_type="image/jpeg", headers=_FOR_A_DAY)


@cache
def _share_file() -> bytes:
    return (FOLDER / "share.jpg").read_bytes()


def _unknown(request: Request) -> Response:
    return _told("examples.unknown", request, 404)


def _told(key: str, request: Request, status: int) -> Response:
    accepted = request.headers.get("accept-language", "")
    language = asked_language(request.query_params.get("language", ""), accepted=accepted)
    return PlainTextResponse(text(key).by_language[language], status, {"cache-control": "no-store"})

"""Functions on the lent GPU of a Space, and unchanged elsewhere."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from PIL import Image

from demo.gradio_parts.zero_gpu import on_gpu
from fmp_models.estimators.base import PoseEstimate
from fmp_models.hub.models import LoadedModel
from fmp_models.hub.references import ModelFolder
from fmp_models.inference.correction import MeasuredPhotographs
from fmp_models.inference.corrector import CaptionerModel, Corrector, GeometryModel
from fmp_models.inference.neural_captioner import CaptionGenerator
from fmp_models.preprocessing import Photograph
from tests.bodies import Body
from tests.taught_captioners import save_taught, taught
from tests.thoroughness import thorough

Value = TypeVar("Value")

ROOT = Path(__file__).resolve().parents[3]
TREE = (ROOT / "demo" / "examples" / "tree_current.jpg").read_bytes()

# Nothing is lent here, so nothing may be asked.
ON_A_SPACE = """
import json
import sys
from demo.gradio_parts.zero_gpu import on_gpu
import torch

def work(given):
    return given

print(json.dumps([on_gpu(work) is work, torch.cuda.is_available(), hasattr(on_gpu(work), "zerogpu")]))
"""


# As the app starts on a ZeroGPU Space: models are loaded to its GPU, which takes their weights away from this process.
REFUSED = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from demo.gradio_parts import on_gpu
from demo.views import correction_html, ranking_html
from fmp_models.inference import Corrector, Retrievers, TargetFinder
from fmp_models.inference.corrector import CaptionerModel
from fmp_models.hub import ModelFolder
import spaces, torch
from tests.demo.gradio_parts.test_zero_gpu import TREE, Standing

captioner = CaptionerModel(ModelFolder(Path(sys.argv[1]), "taught", "1"))
captioner.load()
retrievers = Retrievers()
retrievers.load(every=True)
corrector, finder = Corrector(Standing(), [captioner], on_gpu), TargetFinder(Standing(), retrievers, on_gpu)
spaces.zero.startup()

def failing(device=None):
    raise ZeroDivisionError(device)

def ask():
    correction, measurements = corrector.correct(TREE, TREE)
    ranking, seen = finder.find(TREE, "raise your left arm", [TREE, TREE])
    pages = correction_html(correction, measurements, same_picture=True), ranking_html(ranking, seen)
    print(json.dumps([correction.text, correction.gpu_refused, ranking.gpu_refused,
                      *("no GPU" in page and "GPU नहीं" in page for page in pages)]))

for _ in range(int(sys.argv[2])):
    ThreadPoolExecutor(1).submit(ask).result()  # Gradio's handlers run in threads
try:
    on_gpu(failing)()
except Exception as error:
    print(json.dumps([type(error).__name__, str(error)]))
"""
QUOTA = json.dumps({"left": 3, "wait": 3600}).encode()
REFUSALS = (
    (429, "application/json", QUOTA),
    (429, "application/json", json.dumps({"left": 0, "wait": -1}).encode()),
    (200, "text/event-stream", b"event: failed"),
    (503, "application/json", b"{}"),
)


@pytest.fixture
def lender() -> Iterator[str]:
    """Give the address of a Hub's lender of GPUs, which refuses each pair of calls in one way and then fails."""
    left = [refusal for refusal in REFUSALS for _ in range(2)]

    class Lender(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            ended = (500, "application/json", b"{}")
            status, kind, body = (
                (left.pop(0) if left else ended) if self.path.startswith("/schedule") else (200, "", b"")
            )
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Lender) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def on_a_space(lender: str, script: str, *arguments: object) -> list[list[object]]:
    """Return what a script prints on a ZeroGPU Space, which two variables make."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"SPACES_ZERO_GPU": "true", "SPACES_ZERO_DEVICE_API_URL": lender},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]


@thorough
def test_without_a_gpu_the_processor_answers_and_the_page_says_so(tmp_path: Path, lender: str) -> None:
    folder = save_taught(tmp_path / "taught", {"en": ["Raise your left arm."]})
    *answers, failure = on_a_space(lender, REFUSED, folder, len(REFUSALS))
    assert [answer[1:] for answer in answers] == [[True] * 4] * len(REFUSALS)
    assert answers[0][0]
    assert {answer[0] for answer in answers} == {answers[0][0]}
    assert failure[0] == "RuntimeError"  # what is no refusal stays an error


def test_away_from_a_space_a_function_stays_what_it_is() -> None:
    def work(number: int) -> int:
        return number + 1

    assert on_gpu(work) is work


@thorough
def test_on_a_space_a_function_is_given_to_the_gpu() -> None:
    assert on_a_space("http://127.0.0.1:9", ON_A_SPACE) == [[False, True, True]]


class Standing:
    """Sees somebody stand in every photograph."""

    name = "standing"

    def estimate(self, _: Photograph) -> PoseEstimate:
        joints = Body().pose().joints
        return PoseEstimate(Body().pose(), joints[:, :2] * 50 + (60, 80), (20, 20, 100, 140), 1)


def test_a_captioner_runs_on_the_gpu_and_the_geometry_does_not(tmp_path: Path) -> None:
    folder = save_taught(tmp_path / "taught", {"en": ["Raise your left arm."]})
    asked = []

    def lending(work: Callable[..., Value]) -> Callable[..., Value]:
        def lent(model: str, *given: object) -> Value:
            asked.append(model)
            return work(model, *given)

        return lent

    corrector = Corrector(Standing(), [GeometryModel(), CaptionerModel(ModelFolder(folder, "taught", "1"))], lending)
    answers = [corrector.correct(TREE, TREE, model=model)[0] for model in corrector.models]
    assert [answer.model.id for answer in answers] == ["geometry", "taught"]
    assert asked == ["taught"]


def sent_on(value: Value) -> Value:
    """Give what another process receives."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301  bytes of our own


def test_what_goes_to_the_gpu_and_comes_back_can_be_sent_to_another_process() -> None:
    model, vocabularies = taught({"en": ["Raise your left arm."]})
    captioning = CaptionGenerator(LoadedModel(model, vocabularies, ModelFolder(Path(), "taught", "1")))
    photograph = Photograph(Image.new("RGB", (120, 160)))
    estimate = Standing().estimate(photograph)
    received = sent_on(MeasuredPhotographs((photograph, photograph), (estimate, estimate)))
    spoken = captioning.generate(received, "en")
    sent = sent_on(spoken)
    assert (sent.text, sent.words, sent.clauses) == (spoken.text, spoken.words, spoken.clauses)
    assert np.array_equal(sent.looks[0].current, spoken.looks[0].current)

"""Functions on the lent GPU of a Space, and unchanged elsewhere."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
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

# What a ZeroGPU Space is to the package: two variables. Nothing is lent here, so nothing may be asked.
ON_A_SPACE = """
import json
import sys
from demo.gradio_parts.zero_gpu import on_gpu
import torch

def work(given):
    return given

print(json.dumps([on_gpu(work) is work, torch.cuda.is_available(), hasattr(on_gpu(work), "zerogpu")]))
"""


def test_away_from_a_space_a_function_stays_what_it_is() -> None:
    def work(number: int) -> int:
        return number + 1

    assert on_gpu(work) is work


@thorough
def test_on_a_space_a_function_is_given_to_the_gpu() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ON_A_SPACE],
        cwd=ROOT,
        env=os.environ | {"SPACES_ZERO_GPU": "true", "SPACES_ZERO_DEVICE_API_URL": "http://127.0.0.1:9"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [False, True, True]


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

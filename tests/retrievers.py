"""Tiny retrievers as folders, an estimator that needs no model, and pictures for both."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate
from fmp_models.hub.models import save_speaking
from fmp_models.languages.vocabulary import Vocabulary
from fmp_models.networks.backbone import Backbone, BackboneConfig, VisionModel
from fmp_models.networks.retriever import AnyRetriever, RetrieverConfig, make_retriever
from fmp_models.pose import JOINTS, Pose
from fmp_models.preprocessing import Photograph, PicturesConfig

# Of an answer of the target finder, as a program has it.
RANKING_KEYS = frozenset(
    {
        "ranking",
        "agreed",
        "language",
        "margin",
        "words",
        "parts",
        "clauses",
        "shapes",
        "deciding",
        "model",
        "estimator",
        "people",
        "milliseconds",
        "read_as",
    }
)
TEXTS = {
    "en": "Raise your left arm, then bend both knees a little. Turn the right hand to the left.",
    "hi": "अपनी बाईं भुजा उठाएं, फिर दोनों घुटनों को थोड़ा मोड़ें। दाहिना हाथ बाईं ओर घुमाएं।",
}


def save_retriever(folder: Path, *languages: str, framing: str = "person", seed: int = 0, **switches: bool) -> Path:
    """Write a retriever of random weights that knows the words of :data:`TEXTS`."""
    torch.manual_seed(seed)
    vocabularies = {code: Vocabulary.of([TEXTS[code]], code, least=1) for code in languages}
    backbone = Backbone(BackboneConfig("narrow18", width=8)) if switches.get("images", True) else None
    config = RetrieverConfig(
        {code: len(vocabulary) for code, vocabulary in vocabularies.items()},
        hidden=32,
        embedding=16,
        image_channels=64,
        backbone=None if backbone is None else backbone.config,
        pictures=PicturesConfig(64, framing),  # type: ignore[arg-type]
        **switches,
    )
    seeing: VisionModel[AnyRetriever] = VisionModel(make_retriever(config), backbone)
    save_speaking(folder, seeing, vocabularies, "# Tiny\n", half=False)
    return folder


class ColourEstimator:
    """Poses that depend only on the mean colour of a picture; a black one has no person."""

    name = "colour"

    def __init__(self) -> None:
        self.asked = 0

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Give the same pose for the same picture."""
        self.asked += 1
        image = photograph.image
        colour = np.asarray(image).reshape(-1, 3).mean(axis=0) / 255
        if not colour.any():
            raise BadInputError("no_person", which="given")
        waves = np.outer(np.arange(1, len(JOINTS) + 1), colour)
        points = (0.5 + 0.3 * np.sin(waves[:, :2])) * image.size
        return PoseEstimate(
            Pose(0.5 * np.sin(waves), np.ones(len(JOINTS))), points, (0.0, 0.0, *map(float, image.size)), 1
        )


def picture(red: int, green: int, blue: int) -> bytes:
    """Give a PNG file of one colour, which no compression changes."""
    buffer = io.BytesIO()
    Image.new("RGB", (80, 96), (red, green, blue)).save(buffer, "PNG")
    return buffer.getvalue()

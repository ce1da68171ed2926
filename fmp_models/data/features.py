"""The common schema of simulated and official pairs: functions that build its rows, and the choice of candidates.

Joints are lists of fixed length: they hold nulls and come back as nested lists, eagerly and streamed alike, and as
``(20, 3)`` float32 arrays with the numpy format.

The ten candidates of a retrieval row follow the five rules of the paper's Appendix A. (1) The target lies further
than 10 cm from the current pose; (2) each distractor lies 10 cm to 1 m from the target and (3) nearer than 2 m to
the current pose; (4) the current picture is one of them; (5) all show the same room and character, and as in the
release the same spot. A distance is the mean over the 20 joints, in the camera frame. Simulated texts name end states
("at shoulder height") in most clauses, so a sixth rule of our own keeps the text alone from giving the answer away:
distractors in which these end states hold as well come first.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import datasets
import numpy as np
from numpy.typing import NDArray

from fmp_models.data.pairs import TEXT_COLUMNS, PictureName, Uid
from fmp_models.geometry import Plan, states_held
from fmp_models.languages import LANGUAGES
from fmp_models.pose import JOINTS

Joints = NDArray[np.floating]
CANDIDATE_COUNT = 10

_TEXTS = datasets.List(datasets.Value("string"))
_JOINTS = datasets.List(datasets.List(datasets.Value("float32"), length=3), length=len(JOINTS))
_PLACES = datasets.List(datasets.List(datasets.Value("float32"), length=2), length=len(JOINTS))
_NUMBER = datasets.Value("int32")

CAPTIONING_FEATURES = datasets.Features(
    uid=datasets.Value("string"),
    current=datasets.Image(),
    target=datasets.Image(),
    current_joints=_JOINTS,
    target_joints=_JOINTS,
    **dict.fromkeys(TEXT_COLUMNS, _TEXTS),
    animation=_NUMBER,
    room=_NUMBER,
    character=_NUMBER,
)
RETRIEVAL = datasets.Features(
    **CAPTIONING_FEATURES,
    candidates=datasets.List(datasets.Image(), length=CANDIDATE_COUNT),
    candidate_joints=datasets.List(_JOINTS, length=CANDIDATE_COUNT),
    answer=_NUMBER,
)
WIDE_FEATURES = datasets.Features(
    **CAPTIONING_FEATURES,
    current_places=_PLACES,
    target_places=_PLACES,
    current_pitch=datasets.Value("float32"),
    target_pitch=datasets.Value("float32"),
    current_roll=datasets.Value("float32"),
    target_roll=datasets.Value("float32"),
    placed=datasets.Value("bool"),
)
REAL = "test_real"  # the configuration of people's photographs, and its only split
FEATURES: dict[str, datasets.Features] = {
    "captioning": CAPTIONING_FEATURES,
    "wide": WIDE_FEATURES,
    "retrieval": RETRIEVAL,
    REAL: CAPTIONING_FEATURES,
}

ESTIMATED = "estimated_joints"  # the configuration of joints that an estimator measured, one row a picture
ESTIMATED_JOINTS = datasets.Features(
    picture=datasets.Value("string"),
    sha256=datasets.Value("string"),
    estimated_joints=_JOINTS,
    image_joints=_PLACES,
    visibility=datasets.List(datasets.Value("float32"), length=len(JOINTS)),
    estimator=datasets.Value("string"),
)
EDITING = "editing"  # the configuration of texts to edit; pictures and joints are those of the pair in captioning
EDITING_FEATURES = datasets.Features(
    **dict.fromkeys(("sample_id", "uid", "language", "kind", "ref_cap", "gt_cap", "ref_uid"), datasets.Value("string")),
    turned=datasets.List({"by": datasets.Value("string"), "text": datasets.Value("string")}),
    editing_steps=_NUMBER,
)
DIALOGUE = "dialogue"  # the configuration of questions about a pair, one row a question
DIALOGUE_FEATURES = datasets.Features(
    **dict.fromkeys(
        ("uid", "dialogue_id", "language", "caption", "caption_program", "question", "answer", "program", "kind"),
        datasets.Value("string"),
    ),
    round=_NUMBER,
    dependence=datasets.Value("string"),
    distance=_NUMBER,
    nodes=datasets.List(datasets.Value("string")),
)
COUNTERFACTUAL = "counterfactual"  # the configuration of questions about imagined changes of a pair in captioning
COUNTERFACTUAL_FEATURES = datasets.Features(
    **dict.fromkeys(("sample_id", "uid", "language", "question", "response", "change"), datasets.Value("string")),
    choices=datasets.List(datasets.Value("string"), length=4),
    answer=_NUMBER,
    **dict.fromkeys(("kind", "type"), datasets.Value("string")),
    changes=_NUMBER,
    edited_joints=_JOINTS,
)
CHANGES = "changes"  # the configuration of what changes in a pair of captioning that simulate-changes made
CHANGES_FEATURES = datasets.Features(
    **dict.fromkeys(("uid", "type", "kind", "colour", "new_kind", "new_colour"), datasets.Value("string")),
    light=datasets.Value("bool"),
    view=datasets.Value("bool"),
)
ALL_FEATURES = {
    **FEATURES,
    EDITING: EDITING_FEATURES,
    DIALOGUE: DIALOGUE_FEATURES,
    COUNTERFACTUAL: COUNTERFACTUAL_FEATURES,
    CHANGES: CHANGES_FEATURES,
    ESTIMATED: ESTIMATED_JOINTS,
}


@dataclass(frozen=True)
class Shot:
    """One picture: the bytes of its file, and ``joints`` (20, 3) metres in the camera frame; ``None`` if missing."""

    picture: PictureName
    data: bytes | None = None
    joints: Joints | None = None
    ending: str = "jpg"

    @property
    def image(self) -> dict[str, object] | None:
        """The value of an image column."""
        return None if self.data is None else {"bytes": self.data, "path": f"{self.picture}.{self.ending}"}

    @property
    def joint_lists(self) -> list[list[float]] | None:
        """The value of a joint column."""
        return None if self.joints is None else np.asarray(self.joints, dtype=np.float32).tolist()


def captioning_row(
    uid: Uid, current: Shot, target: Shot, descriptions: Mapping[str, Sequence[str]]
) -> dict[str, object]:
    """Return one row of ``captioning``; ``descriptions`` holds the texts by language."""
    return {
        "uid": str(uid),
        "current": current.image,
        "target": target.image,
        "current_joints": current.joint_lists,
        "target_joints": target.joint_lists,
        **{f"descriptions_{code}": list(descriptions.get(code, ())) for code in LANGUAGES},
        "animation": uid.animation,
        "room": uid.room,
        "character": uid.character,
    }


def wide_row(
    row: Mapping[str, object], places: Sequence[Joints], tilts: Sequence[tuple[float, float]], *, placed: bool
) -> dict[str, object]:
    """Return a ``wide`` row: a ``captioning`` row, joint places (20, 2) in pixels, and (pitch, roll) in degrees."""
    current, target = (np.asarray(joints, dtype=np.float32).tolist() for joints in places)
    return {
        **row,
        "current_places": current,
        "target_places": target,
        "current_pitch": float(tilts[0][0]),
        "target_pitch": float(tilts[1][0]),
        "current_roll": float(tilts[0][1]),
        "target_roll": float(tilts[1][1]),
        "placed": placed,
    }


def retrieval_row(
    uid: Uid, current: Shot, candidates: Sequence[Shot], answer: int, descriptions: Mapping[str, Sequence[str]]
) -> dict[str, object]:
    """Return one row of ``retrieval``: ten candidates; the target has the index ``answer``."""
    return {
        **captioning_row(uid, current, candidates[answer], descriptions),
        "candidates": [candidate.image for candidate in candidates],
        "candidate_joints": [candidate.joint_lists for candidate in candidates],
        "answer": answer,
    }


NEAREST = 0.10  # metres between the target and anything else
FURTHEST_FROM_TARGET = 1.0
FURTHEST_FROM_CURRENT = 2.0


@dataclass(frozen=True)
class Candidates:
    """Ten distinct pictures in the order in which they are shown, and the index of the target."""

    pictures: tuple[PictureName, ...]
    answer: int


def mean_distance(a: Joints, b: Joints) -> NDArray[np.float64]:
    """Return the mean joint distance (...,) in metres between poses (..., 20, 3), without aligning them."""
    return np.asarray(np.linalg.norm(np.subtract(a, b, dtype=np.float64), axis=-1).mean(axis=-1))


def acceptable(current: Joints, target: Joints, others: Joints) -> NDArray[np.bool_]:
    """Return a mask of the ``others`` (n, 20, 3) that fulfil rules 2 and 3; all False if the pair breaks rule 1."""
    from_target = mean_distance(others, target)
    from_current = mean_distance(others, current)
    return np.asarray(
        (mean_distance(current, target) > NEAREST)
        & (from_target >= NEAREST)
        & (from_target <= FURTHEST_FROM_TARGET)
        & (from_current < FURTHEST_FROM_CURRENT)
    )


def choose_candidates(
    current: PictureName, target: PictureName, pool: Mapping[PictureName, Joints], seed: int, plan: Plan = ()
) -> Candidates | None:
    """Draw ten candidates from ``pool``, which holds both pictures; return ``None`` if too few fulfil the rules.

    ``pool`` maps pictures to joints (20, 3). Pictures of other rooms, characters or spots are ignored. Pictures in
    which more end states of the ``plan`` hold are preferred.
    """
    pictures = sorted(
        picture for picture in pool if picture != target and _place(picture) == _place(target) == _place(current)
    )
    if len(pictures) < CANDIDATE_COUNT - 1:
        return None
    joints = np.stack([pool[picture] for picture in pictures])
    fits = acceptable(pool[current], pool[target], joints)
    held = states_held(plan, joints.astype(np.float64))
    fitting = {picture: states for picture, fit, states in zip(pictures, fits, held, strict=True) if fit}
    if current not in fitting or len(fitting) < CANDIDATE_COUNT - 1:
        return None
    lot = random.Random(f"{seed} {target}")
    others = [picture for picture in fitting if picture != current]
    shuffled = sorted(lot.sample(others, len(others)), key=lambda picture: -fitting[picture])
    drawn = [current, *shuffled[: CANDIDATE_COUNT - 2]]
    lot.shuffle(drawn)
    answer = lot.randrange(CANDIDATE_COUNT)
    return Candidates((*drawn[:answer], target, *drawn[answer:]), answer)


def _place(picture: PictureName) -> tuple[int, int, int]:
    return picture.uid.room, picture.uid.character, picture.uid.spot

"""New pairs and queries with generated texts: from pictures of one movement and place, or from drawn poses.

The release has one target for each current pose. Every other pose of the same person in front of the same camera is
an equally valid target, and our describer writes the text. Objects of the room are not named, because samples do not
contain them. The simulator's drawn poses cover every family of poses in every view, which recorded movements do not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

import fmp_models.describe
import fmp_models.geometry
import fmp_models.languages
from fmp_models.data import (
    CANDIDATE_COUNT,
    WIDE_FROM,
    PictureName,
    choose_candidates,
    parse_uid,
    picture_of,
    retrieval_split,
    tilted_joints,
)
from fmp_models.errors import BadInputError, needs_extra
from fmp_models.languages import LANGUAGES, grammar, read_plan
from fmp_models.training.dataset_samples import NO_PICTURE, TRAIN, PictureList, Samples
from fmp_models.training.shape_texts import NAMED, shape_texts
from fmp_models.training.texts import Texts, one_of_each, paraphrases

STILLEST = 0.05  # minimum mean movement of the joints of a new pair, in metres
_TRIES = 20  # maximum draws per wanted pair

Moments = tuple[tuple[int, int], tuple[int, int]]  # (row, moment) of the current and the target picture


def recombined(samples: Samples, count: int, seed: int, cache: Path) -> Samples:
    """Return up to ``count`` new pairs (k = 2) with one text in every language; the texts are kept in ``cache``.

    The two pictures of a pair have the same movement, room, character, spot and camera frame, and are not yet a pair.
    Raises :class:`BadInputError` (``folder_unusable``).
    """
    drawn_moments = _draw(samples, count, np.random.default_rng([seed, count]))
    rows, moments = np.array(drawn_moments, dtype=np.int64).reshape(-1, 2, 2).transpose(2, 0, 1)
    joints = samples.joints[rows, moments]
    texts = described_pairs(joints, seed, cache)
    return replace(
        samples.subset(rows[:, 0]),
        pictures=samples.pictures[rows, moments],
        joints=joints,
        known=samples.known[rows, moments],
        texts=texts,
    )


def recombined_questions(samples: Samples, pictures: PictureList, count: int, seed: int, cache: Path) -> Samples:
    """Return up to ``count`` new queries (k = 11) from the pictures of ``samples``, with one text in every language.

    Current pose and answer belong to one movement. The candidates are drawn by the dataset's rules
    (``choose_candidates``) from all pictures of the same person at the same spot, but only from training movements:
    the training queries of an imported dataset can have other movements among their candidates. Raises
    :class:`BadInputError` (``folder_unusable``).
    """
    scenes, numbers = _scenes(samples, pictures)
    # In sorted order, because draws from them are sorted each time.
    pools = [{picture: scene[picture] for picture in sorted(scene)} for _, scene in sorted(scenes.items())]
    generator = np.random.default_rng([seed, count])
    draws: dict[tuple[PictureName, PictureName], tuple[dict[PictureName, NDArray[np.float32]], int]] = {}
    for _ in range(_TRIES * count if pools else 0):
        if len(draws) == count:
            break
        pool = pools[int(generator.integers(len(pools)))]
        names = list(pool)
        current, target = (names[int(place)] for place in generator.integers(len(names), size=2))
        if current.uid.animation == target.uid.animation and (current, target) not in draws:
            draw = pool, int(generator.integers(2**31))
            if choose_candidates(current, target, *draw) is not None:
                draws[current, target] = draw
    pairs = np.array([[numbers[name] for name in pair] for pair in draws], dtype=np.int64).reshape(-1, 2)
    texts = described_pairs(pictures.joints[pairs], seed, cache)
    plans = (read_plan(text, grammar(LANGUAGES[0])) for text, *_ in texts[LANGUAGES[0]])
    choices = [choose_candidates(*pair, *draws[pair], plan) for pair, plan in zip(draws, plans, strict=True)]
    chosen = [choice for choice in choices if choice is not None]  # all: a plan only changes which ones are chosen
    candidates = np.array(
        [
            [numbers[current], *(numbers[name] for name in choice.pictures)]
            for (current, _), choice in zip(draws, chosen, strict=True)
        ],
        dtype=np.int64,
    ).reshape(-1, 1 + CANDIDATE_COUNT)
    uids = [target.uid for _, target in draws]
    return Samples(
        uids=tuple(map(str, uids)),
        pictures=candidates,
        joints=pictures.joints[candidates],
        known=pictures.known[candidates],
        texts=texts,
        animations=np.array([uid.animation for uid in uids], dtype=np.int64),
        rooms=np.array([uid.room for uid in uids], dtype=np.int64),
        characters=np.array([uid.character for uid in uids], dtype=np.int64),
        answers=np.array([choice.answer for choice in chosen], dtype=np.int64),
    )


def _scenes(
    samples: Samples, pictures: PictureList
) -> tuple[dict[tuple[int, int, int], dict[PictureName, NDArray[np.float32]]], dict[PictureName, int]]:
    """Return the joints of every picture in ``samples`` by room, character and spot, and the number of each picture."""
    scenes: dict[tuple[int, int, int], dict[PictureName, NDArray[np.float32]]] = {}
    numbers: dict[PictureName, int] = {}
    for number in np.unique(samples.pictures[samples.pictures != NO_PICTURE]).tolist():
        picture = picture_of(pictures.names[number])
        if pictures.known[number] and picture is not None and retrieval_split(picture.uid) == TRAIN:
            place = (picture.uid.room, picture.uid.character, picture.uid.spot)
            scenes.setdefault(place, {})[picture] = pictures.joints[number]
            numbers[picture] = number
    return scenes, numbers


def _draw(samples: Samples, count: int, generator: np.random.Generator) -> list[Moments]:
    """Draw distinct pairs; a scene with more pictures gives more pairs."""
    scenes: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for row, name in enumerate(samples.uids):
        uid = parse_uid(name)
        # Every wide pair has its own cameras.
        if samples.known[row].all() and uid.capture < WIDE_FROM:
            scenes.setdefault((uid.animation, uid.room, uid.character, uid.spot), []).extend([(row, 0), (row, 1)])
    places = [place for scene in scenes.values() for place in scene]
    scene_of = [scene for scene in scenes.values() for _ in scene]
    moments_of_pairs: dict[tuple[int, int], Moments] = {}
    for _ in range(_TRIES * count if places else 0):
        if len(moments_of_pairs) == count:
            break
        first = int(generator.integers(len(places)))
        scene = scene_of[first]
        current, target = places[first], scene[int(generator.integers(len(scene)))]
        numbers = int(samples.pictures[current]), int(samples.pictures[target])
        metres = np.linalg.norm(samples.joints[target] - samples.joints[current], axis=-1).mean()
        if current[0] != target[0] and metres >= STILLEST:
            moments_of_pairs.setdefault(numbers, (current, target))
    return list(moments_of_pairs.values())


def described_pairs(
    joints: NDArray[np.float32], seed: int, cache: Path, placed: NDArray[np.bool_] | None = None
) -> Texts:
    """Return texts of pairs (n, 2, 20, 3) by language, from ``cache`` if the same code already described these pairs.

    ``placed`` (n,) marks pairs whose poses share a camera frame; by default all do. Raises :class:`BadInputError`
    (``folder_unusable``).
    """
    together = np.ones(len(joints), dtype=np.bool_) if placed is None else placed
    key = hashlib.sha256(f"{seed} {joints.shape} {telling()}".encode() + np.ascontiguousarray(joints).tobytes())
    if not together.all():
        key.update(together.tobytes())
    path = cache / f"retold-{key.hexdigest()[:16]}.json"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"):
            if not path.is_file():
                part = path.with_suffix(".part")
                texts_by_language = paraphrases(joints, seed, range(len(joints)), together.tolist())
                part.write_text(json.dumps(texts_by_language, ensure_ascii=False), encoding="utf-8")
                part.replace(path)
        texts = one_of_each(json.loads(path.read_bytes()))
    except OSError:
        raise BadInputError("folder_unusable", path=str(cache)) from None
    return texts


def telling() -> str:
    """Return a hash of everything that determines the texts: the geometry, the describer and the languages."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    for package in (fmp_models.describe, fmp_models.geometry, fmp_models.languages):
        for folder in package.__path__:
            yield from sorted(path for path in Path(folder).rglob("*") if path.suffix in {".py", ".toml"})


@dataclass(frozen=True)
class DrawnPairs:
    """Drawn pairs: ``joints`` (n, 2, 20, 3) in metres, levelled, and ``texts`` by language that describe them.

    ``camera_joints`` are the same joints in the camera frames.
    """

    joints: NDArray[np.float32]
    camera_joints: NDArray[np.float32]
    texts: Texts


def described_drawn_pairs(count: int, seed: int, cache: Path, recordings: Sequence[Path] = ()) -> DrawnPairs:
    """Return ``count`` pairs; each pose has its own origin, as in photographs, so no text mentions a step.

    The texts are kept in ``cache``. Raises :class:`BadInputError` (``folder_unusable``, ``simulator_missing``, and
    the errors of reading ``recordings``).
    """
    with needs_extra("simulator_missing"):
        from fmp_models.sim import seen_pairs  # noqa: PLC0415
    pairs = seen_pairs([seed, count], count, recordings)
    camera_joints = tilted_joints(pairs.joints, pairs.pitch, pairs.roll).astype(np.float32)
    return DrawnPairs(
        pairs.joints, camera_joints, described_pairs(pairs.joints, seed, cache, np.zeros(count, dtype=np.bool_))
    )


def described_shape_pairs(count: int, seed: int, cache: Path) -> tuple[DrawnPairs, NDArray[np.bool_]]:
    """Return ``count`` pairs into named shapes, and which shapes each text means by its name alone (n, shapes).

    The pairs and texts are kept in ``cache``. Raises the errors of ``described_drawn_pairs``.
    """
    with needs_extra("simulator_missing"):
        from fmp_models.sim import seen_shape_pairs  # noqa: PLC0415
    path = cache / f"shapes-{count}-{seed}-{telling()[:16]}.npz"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"):
            if not path.is_file():
                pairs = seen_shape_pairs([seed, count], count, NAMED)
                camera_joints = tilted_joints(pairs.joints, pairs.pitch, pairs.roll).astype(np.float32)
                told = shape_texts(pairs.joints, seed)
                part = path.with_suffix(".part")
                with part.open("wb") as file:
                    np.savez(file, pairs.joints, camera_joints, told.meant, json.dumps(told.texts))
                part.replace(path)
        with np.load(path) as kept:
            joints, camera_joints, meant, texts = (kept[name] for name in kept.files)
    except OSError:
        raise BadInputError("folder_unusable", path=str(cache)) from None
    by_language = {code: tuple(map(tuple, of_code)) for code, of_code in json.loads(str(texts)).items()}
    return DrawnPairs(joints, camera_joints, by_language), meant


def drawn_samples(count: int, seed: int, cache: Path) -> Samples:
    """Return ``count`` drawn pairs (k = 2) in the camera frame, without pictures.

    Raises the errors of :func:`described_drawn_pairs`.
    """
    drawn = described_drawn_pairs(count, seed, cache)
    nobody = np.full(count, -1, dtype=np.int64)
    return Samples(
        uids=tuple(f"drawn_{i}" for i in range(count)),
        pictures=np.full((count, 2), NO_PICTURE, dtype=np.int64),
        joints=drawn.camera_joints,
        known=np.ones((count, 2), dtype=np.bool_),
        texts=drawn.texts,
        animations=nobody,
        rooms=nobody,
        characters=nobody,
        answers=nobody,
        placed=np.zeros(count, dtype=np.bool_),
    )

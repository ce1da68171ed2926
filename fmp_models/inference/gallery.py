"""Search of a whole collection: the pictures of a dataset, a folder, or a file of measured joints.

The vector of a change depends on both poses, so none can be kept for all questions. What is kept are the vectors of the
changes from a few poses of the collection to each other one, by their largest components. For a question, the exact
scores of some pictures are fitted by these components, and one product estimates the scores of all. The best are scored
exactly, and the clauses of the text are judged by the joints of the first hundred.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import torch
from numpy.typing import NDArray
from tqdm import tqdm

from fmp_models.data import MOMENTS, TEXT_COLUMNS, dataset_contents, read_rows
from fmp_models.errors import BadInputError
from fmp_models.estimators import PersonPoint, PoseEstimator, estimate_person, open_estimator
from fmp_models.geometry import Candidate, candidate_log_odds
from fmp_models.hub import LoadedModel
from fmp_models.inference.batches import BatchOptions, measure_folder
from fmp_models.inference.correction import ModelName
from fmp_models.inference.demonstration import ReadDescription, read_description
from fmp_models.inference.retrievers import Retrievers, SeenPhotograph
from fmp_models.inference.target_finder import description_numbers, text_evidence
from fmp_models.languages import LANGUAGES
from fmp_models.networks import AnyRetriever, PoseSpace, VisionModel
from fmp_models.pose import JOINTS, Array, Pose, pose_pair
from fmp_models.preprocessing import Joints, centred, read_photograph
from fmp_models.workers import HERE, Workers

MAX_RESULTS, JUDGED = 500, 100  # scored exactly, and judged by clauses
_REFERENCES, _COMPONENTS, _ANCHORS, _SAMPLE, _BATCH = 8, 64, 256, 5000, 2000
_RIDGE = 0.01
_FORMAT = 2
RECALLS = (1, 5, 10, 50)

Loaded = LoadedModel[VisionModel[AnyRetriever]]


@dataclass(frozen=True)
class Gallery:
    """``names`` (n,), ``joints`` (n, 20, 3) and ``vectors`` (n, c) of a collection, in mapped files."""

    names: NDArray[np.bytes_]
    joints: NDArray[np.float16]
    vectors: NDArray[np.float16]

    def name(self, place: int) -> str:
        """Return the name of a picture."""
        return bytes(self.names[place]).decode()

    def find(self, loaded: Loaded, read: ReadDescription, current: Pose) -> tuple[NDArray[np.intp], Array]:
        """Return the places of the best pictures, at most ``MAX_RESULTS``, and the probabilities of the judged ones."""
        places, scores = self.nearest(loaded, read, current.joints)
        top = places[:JUDGED]
        pairs = [pose_pair(current.joints, self.joints[place].astype(np.float64)) for place in top]
        known = text_evidence(read, current, [Candidate(pair, pair.target) for pair in pairs])
        odds = candidate_log_odds(scores[: len(top)], known)
        order = np.argsort(-odds, kind="stable")
        shares = np.exp(odds[order] - odds.max())
        return np.concatenate([top[order], places[len(top) :]]), shares / shares.sum()

    def nearest(self, loaded: Loaded, read: ReadDescription, current: Array) -> tuple[NDArray[np.intp], Array]:
        """Return the places and exact scores of the pictures that the retriever ranks highest, the best first."""
        space, text = _space(loaded), text_vector(loaded, read)
        places = self.shortlist(space, text, current)
        scores = _changes(space, current, self.joints[places]) @ text
        order = np.argsort(-scores, kind="stable")
        return places[order], scores[order].astype(np.float64)

    def shortlist(self, space: PoseSpace, text: Joints, current: Array) -> NDArray[np.intp]:
        """Return the places of the pictures with the highest estimated scores, unordered."""
        count = len(self.names)
        if count <= MAX_RESULTS:
            return np.arange(count)
        anchors = np.linspace(0, count - 1, _ANCHORS).astype(np.intp)
        scores = _changes(space, current, self.joints[anchors]) @ text
        known = self.vectors[anchors].astype(np.float64)
        known -= known.mean(axis=0)
        ridge = _RIDGE * _ANCHORS * np.eye(known.shape[1])
        weights = np.linalg.solve(known.T @ known + ridge, known.T @ (scores - scores.mean()))
        weights /= max(np.abs(weights).max(), 1e-9)
        estimates = torch.from_numpy(self.vectors) @ torch.from_numpy(weights).half()
        return np.asarray(estimates.topk(MAX_RESULTS, sorted=False).indices.numpy())


@dataclass(frozen=True)
class FoundPoses:
    """The best pictures of a collection: ``names``, ``joints`` (n, 20, 3), and ``shares``, the first's probabilities.

    ``size`` is that of the whole collection.
    """

    names: tuple[str, ...]
    joints: Array
    shares: tuple[float, ...]
    size: int
    read: ReadDescription
    current: SeenPhotograph
    model: ModelName
    milliseconds: float


class GallerySearch:
    """A collection with the retriever and the estimator that search it; one instance serves concurrent requests."""

    def __init__(
        self,
        source: str,
        model: str,
        options: BatchOptions,
        workers: Workers = HERE,
        estimator: PoseEstimator | None = None,
    ) -> None:
        """Open a collection, see :func:`open_gallery`, for a retriever (empty: the bundled one)."""
        self._source, self._retrievers = source, Retrievers(model)
        self._retrievers.load()
        self._gallery = open_gallery(
            source,
            self._retrievers.reading(LANGUAGES[0]),
            lambda folder, out: measure_folder(folder, out, options, workers),
        )
        self._estimator = estimator or open_estimator(options.pose_model, options.downloads)

    def find(  # noqa: PLR0913  inputs and options
        self,
        current: bytes,
        description: str,
        language: str | None,
        page: int = 1,
        top: int = 10,
        *,
        person_point: PersonPoint | None = None,
    ) -> dict[str, Any]:
        """Return one page of the pictures that fit a description best, for ``json.dumps``.

        Raise BadInputError: the errors of ``read_description``, ``Retrievers.reading``, ``read_photograph`` and the
        estimator.
        """
        found = self.poses(current, description, language, person_point)
        return {
            "gallery": Path(self._source).name,
            "size": found.size,
            "page": page,
            "pages": -(-len(found.names) // top),
            "results": [
                {
                    "rank": rank + 1,
                    "picture": found.names[rank],
                    "probability": found.shares[rank] if rank < len(found.shares) else None,
                }
                for rank in range((page - 1) * top, min(page * top, len(found.names)))
            ],
            "language": found.read.language,
            "read_as": found.read.read_as,
            "model": asdict(found.model),
            "milliseconds": found.milliseconds,
        }

    def poses(
        self, current: bytes, description: str, language: str | None = None, person_point: PersonPoint | None = None
    ) -> FoundPoses:
        """Return all pictures that :meth:`find` divides into pages; raise its errors."""
        read = read_description(description, language)
        loaded = self._retrievers.reading(read.language)
        try:
            photograph = read_photograph(current)
            estimate = estimate_person(self._estimator, photograph, person_point)
        except BadInputError as error:
            raise error.about("current") from None
        begun = time.perf_counter()
        pose = Pose(estimate.pose.joints, estimate.pose.visibility)
        places, shares = self._gallery.find(loaded, read, pose)
        return FoundPoses(
            tuple(self._gallery.name(place) for place in places),
            self._gallery.joints[places].astype(np.float64),
            tuple(shares.tolist()),
            len(self._gallery.names),
            read,
            SeenPhotograph(photograph, estimate),
            ModelName(loaded.folder.shown_id, loaded.folder.revision),
            round(1000 * (time.perf_counter() - begun), 1),
        )


def gallery_recalls(dataset: Path, split: str, model: str) -> dict[str, dict[str, float]]:
    """Return by language how often a pair's target is among the first k of all pictures of a split, by true joints.

    The first text of a pair is the description; its own current picture is no candidate. Raise the errors of
    :func:`open_gallery`.
    """
    retrievers = Retrievers(model)
    retrievers.load()
    loaded = retrievers.reading(LANGUAGES[0])
    gallery = open_gallery(f"{dataset}:{split}", loaded, lambda *_: None)
    ranks: dict[str, list[int]] = {language: [] for language in LANGUAGES}
    rows = read_rows(dataset, "captioning", split, ["uid", *(f"{moment}_joints" for moment in MOMENTS), *TEXT_COLUMNS])
    for row in tqdm(rows, desc=split, unit=" pairs"):
        for language, column in zip(LANGUAGES, TEXT_COLUMNS, strict=True):
            if (
                language in loaded.vocabularies
                and row[column]
                and all(row[f"{moment}_joints"] is not None for moment in MOMENTS)
            ):
                read = read_description(row[column][0], language)
                places, _ = gallery.find(
                    loaded, read, pose_pair(*(row[f"{moment}_joints"] for moment in MOMENTS)).current
                )
                names = [gallery.name(place) for place in places]
                names = [name for name in names if name != f"{row['uid']} {MOMENTS[0]}"]
                target = f"{row['uid']} {MOMENTS[1]}"
                ranks[language].append(names.index(target) if target in names else MAX_RESULTS)
    return {
        language: {
            "pictures": len(gallery.names),
            "texts": len(found),
            **{f"recall_at_{k}": float(np.mean([rank < k for rank in found])) for k in RECALLS},
        }
        for language, found in ranks.items()
        if found
    }


def open_gallery(source: str, loaded: Loaded, measure: Callable[[Path, Path], object]) -> Gallery:
    """Open a collection: a dataset folder, with ``:SPLIT`` if only one is meant, a folder, or a Parquet file.

    Its vectors are kept beside it, and made again if it or the retriever changed. ``measure`` writes the joints of a
    folder's pictures to a file. Raise BadInputError: ``gallery_*``, ``folder_unusable``, ``results_damaged``,
    ``dataset_*``, and the errors of ``measure``.
    """
    given = Path(source)
    folder, split = (given, "") if given.exists() else (Path(source.rpartition(":")[0]), source.rpartition(":")[2])
    held = [name for name in dataset_contents(folder).get("captioning", ()) if split in {"", name}]
    try:
        if given.is_file():
            cache, files = given.with_name(f"{given.name}.gallery"), [given]
        elif held:
            cache = folder / f".gallery-{split or 'all'}"
            files = [file for name in held for file in sorted((folder / "captioning").glob(f"{name}-*.parquet"))]
        elif source and given.is_dir():
            cache = folder / ".gallery"
            measure(folder, cache / "joints.parquet")
            files = [cache / "joints.parquet"]
        else:
            raise BadInputError("gallery_missing", path=source)
        stats = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
        about = [_FORMAT, loaded.folder.shown_id, loaded.folder.revision, stats]
        made = cache / hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]
        if not made.is_dir():
            names, joints = _of_dataset(folder, held) if held and given != files[0] else _measured(files[0])
            _write(made, names, joints, _space(loaded))
        return Gallery(*(np.load(made / f"{name}.npy", mmap_mode="c") for name in ("names", "joints", "vectors")))
    except (OSError, EOFError, ValueError):
        raise BadInputError("folder_unusable", path=source) from None


def text_vector(loaded: Loaded, read: ReadDescription) -> Joints:
    """Return the vector (d,) of a description; raise BadInputError (``description_unknown``)."""
    numbers, space = description_numbers(read, loaded), _space(loaded)
    with torch.inference_mode():
        vectors = space.text_vectors(torch.tensor([numbers], device=space.scale.device), read.language)
    return np.asarray(vectors[0].cpu().numpy())


def _space(loaded: Loaded) -> PoseSpace:
    space = loaded.network.network
    if not isinstance(space, PoseSpace):
        raise BadInputError("gallery_model", model=loaded.folder.shown_id)
    return space


def _of_dataset(folder: Path, splits: Iterable[str]) -> tuple[list[str], Joints]:
    """Return the names and joints of the pictures of a dataset that have joints."""
    found = {
        f"{row['uid']} {moment}": row[f"{moment}_joints"]
        for split in splits
        for row in read_rows(folder, "captioning", split, ["uid", *(f"{moment}_joints" for moment in MOMENTS)])
        for moment in MOMENTS
        if row[f"{moment}_joints"] is not None
    }
    if not found:
        raise BadInputError("gallery_empty", path=str(folder))
    return [*found], np.array([*found.values()], dtype=np.float32)


def _measured(path: Path) -> tuple[list[str], Joints]:
    """Return the names and joints of the pictures with a person in a file of ``measure``."""
    try:
        table = pq.read_table(path, columns=["picture", "estimated_joints"])
        table = table.filter(pc.is_valid(table["estimated_joints"]))
        numbers = table["estimated_joints"].combine_chunks().flatten().flatten().to_numpy(zero_copy_only=False)
        joints = numbers.reshape(len(table), len(JOINTS), 3).astype(np.float32)
        names = table["picture"].to_pylist()
    except (OSError, KeyError, ValueError, AttributeError, pa.ArrowException):
        raise BadInputError("results_damaged", path=str(path), reason="it has no joints of pictures") from None
    if not names:
        raise BadInputError("gallery_empty", path=str(path))
    if not np.isfinite(joints).all() or None in names:
        raise BadInputError("results_damaged", path=str(path), reason="some joints are not numbers")
    return names, joints


def _write(made: Path, names: list[str], joints: Joints, space: PoseSpace) -> None:
    """Write the files of a gallery; remove those of an older one."""
    shutil.rmtree(made.parent / "new", ignore_errors=True)
    new = made.parent / "new"
    new.mkdir(parents=True)
    references = joints[np.linspace(0, len(joints) - 1, _REFERENCES).astype(np.intp)]
    sample = _all_changes(space, references, joints[:: max(1, len(joints) // _SAMPLE)])
    mean = sample.mean(axis=0)
    basis = np.linalg.svd(sample - mean, full_matrices=False)[2][:_COMPONENTS].T
    scale = max(float(np.abs((sample - mean) @ basis).mean()), 1e-9)
    vectors = np.empty((len(joints), basis.shape[1]), dtype=np.float16)
    for at in tqdm(range(0, len(joints), _BATCH), desc="vectors", unit=f" times {_BATCH} pictures"):
        vectors[at : at + _BATCH] = (_all_changes(space, references, joints[at : at + _BATCH]) - mean) @ basis / scale
    np.save(new / "names.npy", np.array([name.encode() for name in names]))
    np.save(new / "joints.npy", joints.astype(np.float16))
    np.save(new / "vectors.npy", vectors)
    for old in made.parent.glob("?" * len(made.name)):
        shutil.rmtree(old, ignore_errors=True)
    new.replace(made)


def _changes(space: PoseSpace, current: Array | Joints, targets: NDArray[Any]) -> Joints:
    """Return the vectors (n, d) of the changes from a pose (20, 3) to others (n, 20, 3)."""
    pairs = np.stack(np.broadcast_arrays(current, targets), axis=1).astype(np.float32)
    with torch.inference_mode():
        vectors = space.change_vectors(torch.from_numpy(centred(pairs, placed=False)).to(space.scale.device))
    return np.asarray(vectors.cpu().numpy())


def _all_changes(space: PoseSpace, references: Joints, targets: Joints) -> Joints:
    """Return the vectors (n, k d) of the changes from k poses to each of others (n, 20, 3), side by side."""
    return np.concatenate([_changes(space, reference, targets) for reference in references], axis=1)

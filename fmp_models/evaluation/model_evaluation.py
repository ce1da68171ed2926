"""Evaluation of a model of any kind on the splits that it was not trained on: ``evaluate MODEL DATASET``.

A report names the dataset, its fingerprint and its command, so that others can recreate the data.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import DatasetCard

import fmp_models.estimators
from fmp_models.data import CHANGES, CHANGES_FEATURES, REAL, SIMULATION_NOTE, dataset_contents, read_rows
from fmp_models.errors import BadInputError
from fmp_models.estimators import LearnedEstimator, file_revision
from fmp_models.evaluation.model_scores import (
    MAX_DESCRIPTION_WORDS,
    MAX_TEXT_TOKENS,
    TargetVotes,
    caption_scores,
    predicted_joint_error,
    question_scores,
    texts_of,
    texts_of_geometry,
)
from fmp_models.evaluation.pose_estimation import (
    GivenEstimator,
    GivenJoints,
    Source,
    estimator_scores,
    given_joints,
    kept_joints,
    lifter_scores,
)
from fmp_models.hub import (
    Kind,
    LoadedModel,
    ModelFolder,
    kind_of,
    load_captioner,
    load_estimator,
    load_lifter,
    load_retriever,
    resolve_model,
)
from fmp_models.inference import GEOMETRY, Decoding
from fmp_models.languages import LANGUAGES
from fmp_models.networks import AnyRetriever, Captioner, CaptionerConfig, RetrieverConfig, VisionModel
from fmp_models.training import (
    BEST,
    WIDE_TEST,
    Dataset,
    SampleInputs,
    SampleRequirements,
    Samples,
    Task,
    dataset_parts,
    fingerprint,
    landmark_looks,
    read_dataset,
    usable,
    views,
)

_log = logging.getLogger(__name__)
Predictions = Mapping[tuple[str, str], Mapping[str, str]]  # by split and language, the text of each pair by its uid

# The task of each kind of model, and the splits that it is evaluated on by default.
JUDGED_ON: Mapping[Kind, tuple[Task, tuple[str, ...]]] = {
    "captioner": ("captioning", ("val_seen", "val_unseen", "test_unseen")),
    "retriever": ("retrieval", ("val_unseen", "test_unseen")),
    "estimator": ("captioning", ("val_unseen", "test_unseen")),
    "lifter": ("captioning", ("val_unseen", "test_unseen")),
}
# Further splits that a request may name.
ALSO: Mapping[Kind, tuple[str, ...]] = {
    "captioner": (WIDE_TEST, REAL),
    "retriever": (),
    "estimator": (WIDE_TEST, REAL),
    "lifter": (WIDE_TEST, REAL),
}


@dataclass(frozen=True)
class EvaluationRequest:
    """A request: the model, the dataset and its splits (empty for all), the source of the joints, and the decoding.

    ``model`` and ``estimator`` are bundled names, folders or Hub ids; ``model`` may also be "geometry".
    ``estimator`` finds the ``learned`` joints. The file ``pose_model`` finds MediaPipe's joints and a lifter's
    landmarks. ``estimated`` joints are those stored in the dataset. ``longest`` limits a text in words,
    punctuation marks and the end token. ``votes`` are retrievers, one for each language, that help to choose
    among a captioner's texts. With ``uids``, only these pairs are evaluated.
    Without ``scores``, texts are only generated.
    """

    model: str
    dataset: Path
    splits: tuple[str, ...] = ()
    joints: Source = "true"
    estimator: str = "estimator"
    pose_model: Path | None = None
    decoding: Decoding = field(default_factory=Decoding)
    longest: int = MAX_TEXT_TOKENS
    votes: tuple[str, ...] = ()
    uids: frozenset[str] | None = None
    scores: bool = True

    def command(self, splits: tuple[str, ...], kind: Kind) -> str:
        """Return the command line that repeats this request; a folder is given by its name."""
        words = ["evaluate", model_name(self.model), self.dataset.name]
        words += [word for split in splits for word in ("--split", split)]
        words += [] if self.joints == "true" else ["--joints", self.joints]
        words += ["--estimator", model_name(self.estimator)] if self.joints == "learned" else []
        landmarks = kind == "lifter" or self.joints == "mediapipe"
        words += ["--pose-model", self.pose_model.name] if landmarks and self.pose_model else []
        decoding = self.decoding
        if decoding.method != "greedy":
            words += ["--decoding", decoding.method, "--texts", str(decoding.texts)]
        words += ["--rerank"] if decoding.rerank else []
        words += [word for model in self.votes for word in ("--votes", model_name(model))]
        return shlex.join(["python", "-m", "fmp_models", *words])


@dataclass(frozen=True)
class Evaluation:
    """An evaluation's ``report``, as in ``evaluation.json``, and a captioner's texts in ``predictions``."""

    report: dict[str, Any]
    predictions: Predictions


def evaluate_model(request: EvaluationRequest, cache: Path) -> Evaluation:
    """Evaluate a model on the requested splits; results computed from the pictures are kept in ``cache``.

    Raises ``BadInputError``: ``evaluation_of_training``, ``evaluation_unknown_split``,
    ``evaluation_needs_joints``, ``pose_model_unnamed``, and the errors of reading the dataset and loading the
    model.
    """
    folder = None if request.model == GEOMETRY.id else resolve_model(request.model)
    kind: Kind = "captioner" if folder is None else kind_of(folder)
    task, known = JUDGED_ON[kind]
    there = dataset_contents(request.dataset).get(task, {})
    splits = request.splits or tuple(split for split in known if split in there) or known
    known = (*known, *ALSO[kind])
    for split in splits:
        if split == "train":
            raise BadInputError("evaluation_of_training", known=", ".join(known))
        if split not in known:
            raise BadInputError("evaluation_unknown_split", split=split, kind=kind, known=", ".join(known))
    estimator = None if kind in {"estimator", "lifter"} else _estimator_of(request)
    ask = _scorer(kind, folder, request, estimator, cache)
    results: dict[str, Any] = {}
    predictions: dict[tuple[str, str], Mapping[str, str]] = {}
    for split in splits:
        # One split at a time, so that its cached pictures can be reused whichever splits are requested next.
        dataset = read_dataset(request.dataset, task, [split])
        if request.uids is not None:
            dataset = _only(dataset, split, request.uids)
        _log.info("%s: %d %s rows", split, len(dataset.splits[split]), task)
        results[split], texts = ask(dataset, split)
        predictions |= {(split, language): by_pair for language, by_pair in texts.items()}
    report: dict[str, Any] = {
        "model": model_name(request.model),
        "revision": GEOMETRY.revision if folder is None else folder.revision,
        "kind": kind,
        "dataset": about_dataset(request.dataset, dataset_parts(task, splits)),
        "command": request.command(splits, kind),
        "joints": request.joints,
        **({} if estimator is None else {"estimator": {"id": estimator.name, "revision": estimator.revision}}),
        "splits": results,
    }
    if kind == "captioner" and folder is not None:
        report["decoding"] = {"method": request.decoding.method, "rerank": request.decoding.rerank}
        report["longest"] = request.longest
        if request.votes:
            report["decoding"]["votes"] = [model_name(model) for model in request.votes]
        if request.decoding.method != "greedy":
            report["decoding"]["texts"] = request.decoding.texts
    return Evaluation(report, predictions)


def _only(dataset: Dataset, split: str, uids: frozenset[str]) -> Dataset:
    """Return the dataset with these pairs of a split alone."""
    samples = dataset.splits[split]
    rows = [row for row, uid in enumerate(samples.uids) if uid in uids]
    return replace(dataset, splits={split: samples.subset(rows)})


_Answer = tuple[dict[str, Any], Mapping[str, Mapping[str, str]]]  # scores, and texts by language and pair uid
_Ask = Callable[[Dataset, str], _Answer]
_Voter = LoadedModel[VisionModel[AnyRetriever]]


def _scorer(
    kind: Kind, folder: ModelFolder | None, request: EvaluationRequest, estimator: GivenEstimator | None, cache: Path
) -> _Ask:
    """Return the function from a dataset and split to scores; the model is loaded once, and "geometry" needs none."""
    vision = _ModelEvaluator(request, estimator, cache)
    if folder is None:
        return vision.measured
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if kind == "estimator":
        loaded = load_estimator(folder)
        learned_estimator = _learned(loaded.folder)
        network = loaded.network.to(device)
        return lambda dataset, split: (estimator_scores(network, learned_estimator, dataset, split, cache), {})
    if kind == "lifter":
        pose_model, lifter = _pose_model(request), load_lifter(folder).network.to(device)
        return lambda dataset, split: (
            lifter_scores(lifter, landmark_looks(dataset, cache, pose_model), dataset, split),
            {},
        )
    if kind == "retriever":
        retriever = load_retriever(folder)
        retriever.network.to(device)
        return lambda dataset, split: vision.retrieved(retriever, dataset, split)
    captioner = load_captioner(folder)
    captioner.network.to(device)
    voters = _voters(request.votes, captioner, device)
    return lambda dataset, split: vision.described(captioner, voters, dataset, split)


@dataclass(frozen=True)
class _ModelEvaluator:
    """Evaluation of models that take pictures and joints."""

    request: EvaluationRequest
    estimator: GivenEstimator | None
    cache: Path

    def measured(self, dataset: Dataset, split: str) -> _Answer:
        """Score the geometric descriptions."""
        source = self.request.joints
        if source == "none":
            raise BadInputError("evaluation_needs_joints", model=GEOMETRY.id)
        input_joints = self._input_joints(dataset)
        answers = []
        for languages in _with_same_rows(dataset, split, LANGUAGES):
            needs = SampleRequirements(languages, pictures=source != "true", joints=source == "true")
            samples = usable(dataset, split, needs)
            input_samples = samples if source == "true" else input_joints.of(samples)
            texts = texts_of_geometry(input_samples, languages, placed=input_joints.placed)
            answers.append(self._scored(texts, samples, input_samples, split))
        return _merged(answers)

    def described(
        self, loaded: LoadedModel[VisionModel[Captioner]], voters: Mapping[str, _Voter], dataset: Dataset, split: str
    ) -> _Answer:
        answers = []
        for languages in _with_same_rows(dataset, split, tuple(loaded.vocabularies)):
            samples, sample_inputs = self._inputs(loaded.network, languages, dataset, split)
            decoding = sample_inputs, self.request.decoding, self.request.longest
            votes = self._votes(voters, dataset, sample_inputs.samples) if voters else None
            vocabularies = {language: loaded.vocabularies[language] for language in languages}
            texts = texts_of(loaded.network, vocabularies, *decoding, votes)
            scores, answer_texts = self._scored(texts, samples, sample_inputs.samples, split)
            error = predicted_joint_error(loaded.network, sample_inputs, samples)
            more = {} if error is None else {"predicted_joint_error": error}
            answers.append(({language: {**of, **more} for language, of in scores.items()}, answer_texts))
        return _merged(answers)

    def _scored(
        self, texts: Mapping[str, Sequence[str]], samples: Samples, input_samples: Samples, split: str
    ) -> _Answer:
        """Return the scores of texts by language; ``samples`` have the true joints, ``input_samples`` the given."""
        rows = read_rows(self.request.dataset, CHANGES, split, [*CHANGES_FEATURES]) if self.request.scores else ()
        by_uid = {row["uid"]: row for row in rows}
        changes = [by_uid[uid] for uid in samples.uids] if by_uid else []
        scores = {
            language: caption_scores(language_texts, language, samples, changes) if self.request.scores else {}
            for language, language_texts in texts.items()
        }
        if self.request.joints != "true":
            for of_language in scores.values():
                of_language["joints_found"] = int(input_samples.known.all(axis=1).sum())
        return scores, {
            language: dict(zip(samples.uids, language_texts, strict=True)) for language, language_texts in texts.items()
        }

    def retrieved(self, loaded: LoadedModel[VisionModel[AnyRetriever]], dataset: Dataset, split: str) -> _Answer:
        answers: list[_Answer] = []
        for languages in _with_same_rows(dataset, split, tuple(loaded.vocabularies) or LANGUAGES):
            _, sample_inputs = self._inputs(loaded.network, languages, dataset, split)
            vocabularies = {code: loaded.vocabularies[code] for code in languages if code in loaded.vocabularies}
            scores = question_scores(loaded.network, vocabularies, sample_inputs, MAX_DESCRIPTION_WORDS)
            answers.append(({language: scores[language] for language in languages}, {}))
        return _merged(answers)

    def _votes(self, voters: Mapping[str, _Voter], dataset: Dataset, input_samples: Samples) -> dict[str, TargetVotes]:
        """Return the voting function for these samples in each language."""
        places = self._input_joints(dataset).places
        views_of_voter = {
            code: views(
                dataset, voter.network.backbone, voter.network.network.config.pictures, self.cache, places=places
            )
            for code, voter in voters.items()
        }
        return {code: TargetVotes(voter, input_samples, views_of_voter[code], code) for code, voter in voters.items()}

    def _inputs(
        self, model: VisionModel[Any], languages: tuple[str, ...], dataset: Dataset, split: str
    ) -> tuple[Samples, SampleInputs]:
        """Return the samples as the dataset has them, and as the model is given them."""
        config: CaptionerConfig | RetrieverConfig = model.network.config
        source = self.request.joints
        predicts = isinstance(config, CaptionerConfig) and config.joint_prediction
        if source == "none" and config.joints and not (config.missing or predicts):
            raise BadInputError("evaluation_needs_joints", model=model_name(self.request.model))
        complete_inputs = not config.missing
        needs = SampleRequirements(
            languages,
            pictures=source in {"estimated", "learned", "mediapipe"}
            or (complete_inputs and config.backbone is not None),
            joints=complete_inputs and config.joints and source == "true",
        )
        samples = usable(dataset, split, needs)
        input_joints = self._input_joints(dataset)
        picture_views = views(dataset, model.backbone, config.pictures, self.cache, places=input_joints.places)
        input_samples = samples if source == "true" else input_joints.of(samples)
        return samples, SampleInputs(input_samples, picture_views, placed=input_joints.placed)

    def _input_joints(self, dataset: Dataset) -> GivenJoints:
        if self.request.joints == "estimated":
            return kept_joints(dataset, self.cache)
        return given_joints(dataset, self.estimator, self.cache, none=self.request.joints == "none")


def _with_same_rows(dataset: Dataset, split: str, languages: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the languages that have texts, those with texts in the same rows together; all if none has any."""
    texts = dataset.splits[split].texts
    groups: dict[tuple[bool, ...], tuple[str, ...]] = {}
    for language in languages:
        rows = tuple(map(bool, texts.get(language, ())))
        groups[rows] = (*groups.get(rows, ()), language)
    if len(groups) > 1:
        for rows, of_group in groups.items():
            _log.info("%s: %d of %d rows have texts in %s", split, sum(rows), len(rows), ", ".join(of_group))
    return [group for rows, group in groups.items() if any(rows)] or [languages]


def _merged(answers: Sequence[_Answer]) -> _Answer:
    """Return the scores and texts of several languages as one answer."""
    return {code: scores for of, _ in answers for code, scores in of.items()}, {
        code: texts for _, of in answers for code, texts in of.items()
    }


def _voters(models: Sequence[str], captioner: LoadedModel[VisionModel[Captioner]], device: str) -> dict[str, _Voter]:
    """Load the retriever that votes in each language of the captioner; empty without ``models``.

    Raises ``votes_without_language`` if a language of the captioner has no retriever.
    """
    voters: dict[str, _Voter] = {}
    for model in models:
        retriever = load_retriever(model)
        retriever.network.to(device)
        voters |= dict.fromkeys(retriever.vocabularies, retriever)
    if models and not captioner.vocabularies.keys() <= voters.keys():
        raise BadInputError("votes_without_language", known=", ".join(voters) or "none")
    return voters


def _estimator_of(request: EvaluationRequest) -> GivenEstimator | None:
    """Return the estimator of the given joints; None if they are the dataset's or none."""
    if request.joints == "learned":
        return _learned(resolve_model(request.estimator))
    return _mediapipe(_pose_model(request)) if request.joints == "mediapipe" else None


def _learned(folder: ModelFolder) -> GivenEstimator:
    estimator = LearnedEstimator(load_estimator(folder))
    return GivenEstimator(estimator, folder.shown_id, folder.revision, _code_of_estimators())


def _pose_model(request: EvaluationRequest) -> Path:
    if request.pose_model is None:
        raise BadInputError("pose_model_unnamed")
    return request.pose_model


def _mediapipe(model: Path) -> GivenEstimator:
    from fmp_models.estimators import MediaPipeEstimator  # noqa: PLC0415

    estimator = MediaPipeEstimator(model)
    estimator.load()
    return GivenEstimator(estimator, estimator.name, file_revision(model), _code_of_estimators())


def _code_of_estimators() -> str:
    """Return the hash of the code that finds the person: it may change while the weights stay the same."""
    modules = sorted(Path(str(fmp_models.estimators.__file__)).parent.glob("*.py"))
    return hashlib.sha256(b"".join(module.read_bytes() for module in modules)).hexdigest()


def model_name(model: str) -> str:
    """Return the model's name for others: for a local folder, the name of the folder or of its run."""
    folder = Path(model).resolve()
    if not folder.is_dir():
        return model
    return folder.parent.name if folder.name == BEST else folder.name


_CARD = "README.md"


def about_dataset(folder: Path, parts: Sequence[tuple[str, str]] | None = None) -> dict[str, Any]:
    """Return the dataset's ``name``, the ``fingerprint`` of its (or these) splits, and the ``command`` that made it.

    ``parts`` are (config, split); by default all. The name is the one on the card, or the folder's. The command
    is null if it is not known.
    """
    all_parts = [(config, split) for config, splits in dataset_contents(folder).items() for split in splits]
    return {"name": _name(folder), "fingerprint": fingerprint(folder, parts or all_parts), "command": _command(folder)}


def _name(folder: Path) -> str:
    try:
        name = DatasetCard((folder / _CARD).read_text(encoding="utf-8")).data.get("pretty_name")
    except (OSError, ValueError):
        name = None
    return str(name or folder.resolve().name)


def _command(folder: Path) -> str | None:
    try:
        note = json.loads((folder / SIMULATION_NOTE).read_text(encoding="utf-8"))
        return f"python -m fmp_models simulate OUT --pairs {int(note['pairs'])} --seed {int(note['seed'])}"
    except (OSError, ValueError, KeyError, TypeError):
        return None

"""Candidate scores: how well each photograph, or each change of joints, fits a description by a retriever."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from fmp_models.hub import LoadedModel, load_retriever
from fmp_models.inference.retrievers import SPACE, SeenPhotograph, present
from fmp_models.languages import PAD, UNK, tokenise
from fmp_models.networks import AnyRetriever, Match, PoseSpace, Reasons, RetrievalBatch, VisionModel, as_images
from fmp_models.pose import JOINTS
from fmp_models.preprocessing import Joints, PicturesConfig, Pixels, centred, cut

_TEXTS = 256  # encoded at a time
_BODIES = 32  # pose samples per photograph; more do not change a ranking


def match(
    loaded: LoadedModel[VisionModel[AnyRetriever]], language: str, words: Sequence[int], poses: Sequence[SeenPhotograph]
) -> Match:
    """Score each picture after the first as the described change of the first."""
    seeing = loaded.network
    config, device = seeing.network.config, next(seeing.parameters()).device
    known = np.array([picture.estimate is not None for picture in poses])
    ranked = present(loaded, poses)

    joints = _plausible_joints(poses) if config.space else _joints(poses)[None]
    draws = len(joints)

    def batched(values: NDArray[Any]) -> Tensor:
        return torch.from_numpy(values)[None].to(device)

    with torch.inference_mode():
        images = seeing.positions(as_images(batched(_squares(poses, config.pictures)))) if config.images else None
        batch = RetrievalBatch(
            words=torch.tensor([words] * draws, device=device),
            images=images,
            joints=torch.from_numpy(joints).to(device) if config.joints else None,
            joints_known=batched(known).expand(draws, -1)
            if config.joints and (config.missing or config.space)
            else None,
            present=batched(ranked).expand(draws, -1),
        )
        return _mean_match(seeing.network.match(batch, language))


def change_scores(language: str, texts: Sequence[str], joints: Joints) -> NDArray[np.float32]:
    """Score texts (t,) for the changes between poses (n, 2, 20, 3) by the bundled joint space; return (n, t).

    Raise the errors of ``load_retriever``.
    """
    loaded = load_retriever(SPACE)
    space, vocabulary = loaded.network.network.eval(), loaded.vocabularies[language]
    if not isinstance(space, PoseSpace):
        raise TypeError(f"{SPACE} is not a joint embedding space")
    device = space.scale.device
    numbers = [torch.tensor(vocabulary.numbers_as_meant(tokenise(text, language)) or [UNK]) for text in texts]
    with torch.inference_mode():
        batches = (numbers[at : at + _TEXTS] for at in range(0, len(numbers), _TEXTS))
        padded = (pad_sequence(batch, batch_first=True, padding_value=PAD).to(device) for batch in batches)
        vectors = torch.cat([space.text_vectors(words, language) for words in padded])
        changes = space.change_vectors(torch.from_numpy(centred(joints.astype(np.float32), placed=False)).to(device))
        return (changes @ vectors.T).cpu().numpy()


def _mean_match(match: Match) -> Match:
    """Return the mean over all sampled bodies for one description, moved to the CPU."""

    def mean(values: Tensor) -> Tensor:
        return values.mean(dim=0, keepdim=True).cpu()

    def of(reasons: Reasons | None) -> Reasons | None:
        if reasons is None:
            return None
        words, looks = (None if weights is None else mean(weights) for weights in (reasons.words, reasons.looks))
        return Reasons(words, mean(reasons.places), looks)

    return Match(mean(match.scores), of(match.images), of(match.joints))


def _squares(poses: Sequence[SeenPhotograph], config: PicturesConfig) -> Pixels:
    """Return the retriever's crop of each picture, (1 + k, s, s, 3)."""
    unknown_points = np.full((len(JOINTS), 2), np.nan)
    cuts = []
    for photograph in poses:
        image, points = (
            photograph.photograph.image,
            unknown_points if photograph.estimate is None else photograph.estimate.image_joints,
        )
        cuts.append(cut(image, config.square(*image.size, points), config.size))
    return np.stack(cuts)


def _plausible_joints(poses: Sequence[SeenPhotograph]) -> Joints:
    """Return pose samples (m, 1 + k, 20, 3) of the photographs, each from its own hip; zeros without a person.

    Errors are drawn in the same order for all candidates. Those of the current photograph are shifted, since an
    error shared by both poses would cancel out.
    """
    bodies = []
    for photograph in poses:
        pose = None if photograph.estimate is None else photograph.estimate.pose
        if pose is None or pose.pose_samples is None:
            joints = np.zeros((len(JOINTS), 3)) if pose is None else pose.joints
            bodies.append(np.broadcast_to(joints, (_BODIES, *joints.shape)))
        else:
            bodies.append(pose.pose_samples[np.arange(_BODIES) * len(pose.pose_samples) // _BODIES])
    bodies[0] = np.roll(bodies[0], 1, axis=0)
    return centred(np.stack(bodies, axis=1).astype(np.float32), placed=False)


def _joints(poses: Sequence[SeenPhotograph]) -> Joints:
    """Return joints (1 + k, 20, 3), each from its own hip; zeros without a person."""
    nobody = np.zeros((len(JOINTS), 3))
    joints = [nobody if photograph.estimate is None else photograph.estimate.pose.joints for photograph in poses]
    return centred(np.stack(joints).astype(np.float32), placed=False)

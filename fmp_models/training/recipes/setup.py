"""The start of a run: samples that can be used, their pictures, vocabularies, a backbone and earlier weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fmp_models.errors import BadInputError
from fmp_models.hub.folders import misfit, read_tensors
from fmp_models.hub.references import ModelFolder, resolve
from fmp_models.languages.grammar import grammar
from fmp_models.languages.vocabulary import SPECIALS, UNK, Vocabulary
from fmp_models.networks.backbones.backbone import Backbone, BackboneConfig
from fmp_models.preprocessing.person_crop import PicturesConfig
from fmp_models.training.samples.backbone_features import backbone_features
from fmp_models.training.samples.dataset_samples import NO_PICTURE, Dataset, Samples
from fmp_models.training.samples.model_inputs import Views
from fmp_models.training.samples.pictures import cropped_pictures, encoded_pictures, joint_places

_WORDS = "embedding.weight"


@dataclass(frozen=True)
class SampleRequirements:
    """The needs that every sample must meet."""

    languages: tuple[str, ...]
    pictures: bool
    joints: bool

    def __str__(self) -> str:
        """As a sentence names it."""
        texts = [f"texts in {language}" for language in self.languages]
        return ", ".join([*texts, *["pictures"] * self.pictures, *["joints"] * self.joints])


def usable(dataset: Dataset, split: str, needs: SampleRequirements, most: int | None = None) -> Samples:
    """``most`` samples from all over a split, or all, that have what is needed; ``BadInputError`` where none has."""
    samples = dataset.splits[split]
    is_usable = np.ones(len(samples), np.bool_)
    for language in needs.languages:
        grammar(language)  # an unknown one is refused
        is_usable &= np.array([bool(texts) for texts in samples.texts[language]])
    if needs.pictures:
        is_usable &= (samples.pictures != NO_PICTURE).all(axis=1)
    if needs.joints:
        is_usable &= samples.known.all(axis=1)
    if not is_usable.any():
        raise BadInputError("training_no_samples", path=str(dataset.folder), split=split, needs=str(needs))
    return samples.subset(spread(np.flatnonzero(is_usable), most))


def spread(rows: NDArray[np.int64], most: int | None) -> NDArray[np.int64]:
    """``most`` of the rows, or all, evenly: they go by room and so by character, and the first are of some only."""
    if most is None or most >= len(rows):
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).round().astype(np.int64)]


def init_backbone(config: BackboneConfig | None, trained: str | None, start: str | None) -> Backbone | None:
    """The backbone; with the weights of an earlier model's, by bundled name, folder or Hub id, where one is named.

    Without ``trained`` it may be ``start``'s, of which all weights are taken. ``BadInputError`` for a frozen one that
    nobody has trained.
    """
    trained = start if trained is None else trained
    if config is None:
        return None
    if trained is None:
        if config.frozen and not config.pretrained:
            raise BadInputError("backbone_untrained")
        return Backbone(config)
    backbone = Backbone(replace(config, pretrained=False))
    init_backbone_from(backbone, trained)
    return backbone


def init_backbone_from(backbone: Backbone, trained: str) -> None:
    """Give a backbone the weights of an earlier model's."""
    folder = resolve(trained)
    prefix = "backbone."
    tensors = read_tensors(folder)
    backbone_tensors = {
        name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)
    }
    _fill(backbone, backbone_tensors, folder)


def load_weights(model: nn.Module, trained: str, added: Sequence[str] = (), *, new_words: bool = False) -> None:
    """Give a model the weights of an earlier one of the same make, which may lack the layers ``added`` since, all.

    With ``new_words`` the model's vocabularies may have grown; every new word begins as the unknown one.
    """
    folder = resolve(trained)
    tensors = read_tensors(folder)
    if new_words:
        sizes = {name: len(value) for name, value in model.state_dict().items() if name.endswith(_WORDS)}
        for name in sizes.keys() & tensors.keys():
            rows = tensors[name]
            tensors[name] = torch.cat([rows, rows[UNK].expand(max(sizes[name] - len(rows), 0), -1)])
    initial = {name: value for name, value in model.state_dict().items() if name.startswith(tuple(added))}
    _fill(model, tensors if initial.keys() & tensors.keys() else {**tensors, **initial}, folder)


def revision_of(trained: str | None) -> str | None:
    """The revision that tells an earlier model's weights from others."""
    return None if trained is None else resolve(trained).revision


def views(  # noqa: PLR0913  what is seen by what, how, and where it is kept
    dataset: Dataset,
    backbone: Backbone | None,
    config: PicturesConfig,
    cache: Path,
    *,
    mirrored: bool = False,
    places: NDArray[np.float32] | None = None,
) -> Views:
    """The views of the pictures: nothing, what a frozen backbone makes of them, or the squares themselves.

    ``places`` (p, 20, 2) say where the joints lie in the pictures; by default, where the true ones do.
    """
    if backbone is None or not dataset.pictures.names:
        return Views()
    places = joint_places(dataset.pictures) if places is None else places
    squares = cropped_pictures(encoded_pictures(dataset, cache), config, places, cache)
    if not backbone.config.frozen:
        return Views(squares=squares)
    if torch.cuda.is_available():
        backbone.to("cuda")
    plain = backbone_features(backbone, squares, cache)
    return Views(features=(plain, backbone_features(backbone, squares, cache, mirrored=True) if mirrored else plain))


def vocabularies_of(
    texts: Mapping[str, Sequence[Sequence[str]]], languages: Sequence[str], least_seen: int, start: str | None
) -> dict[str, Vocabulary]:
    """The vocabularies of the model that is gone on from, else of the training ``texts``, which are by language."""
    if start is not None:
        folder = resolve(start).path
        return {language: Vocabulary.load(folder, language) for language in languages}
    vocabularies = {
        language: Vocabulary.of((text for of_sample in texts[language] for text in of_sample), language, least_seen)
        for language in languages
    }
    for language, vocabulary in vocabularies.items():
        if len(vocabulary) == len(SPECIALS):
            raise BadInputError("training_no_words", language=language, least=least_seen)
    return vocabularies


def grown(
    vocabularies: Mapping[str, Vocabulary], texts: Mapping[str, Sequence[Sequence[str]]], least_seen: int
) -> dict[str, Vocabulary]:
    """Return the vocabularies with the words of ``texts`` that they do not know as meant either, behind their own."""
    return {
        code: Vocabulary(code, (*old.words, *(word for word in seen if old.numbers_as_meant([word]) == [UNK])))
        for code, old in vocabularies.items()
        for seen in (Vocabulary.of(chain.from_iterable(texts[code]), code, least_seen).words[len(SPECIALS) :],)
    }


def _fill(module: nn.Module, tensors: dict[str, Tensor], folder: ModelFolder) -> None:
    if flaw := misfit(tensors, module.state_dict()):
        raise BadInputError("training_start_unfit", model=folder.id, reason=flaw)
    module.load_state_dict(tensors)

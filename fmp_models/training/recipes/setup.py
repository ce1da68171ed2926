"""Inputs of a run: usable samples and their pictures, vocabularies, a backbone and initial weights."""

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
from fmp_models.hub.models import read_tensors, tensor_mismatch
from fmp_models.hub.references import ModelFolder, resolve_model
from fmp_models.languages.language_data import grammar
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
    """The requirements of every sample."""

    languages: tuple[str, ...]
    pictures: bool
    joints: bool

    def __str__(self) -> str:
        """Return the requirements as part of a sentence."""
        texts = [f"texts in {language}" for language in self.languages]
        return ", ".join([*texts, *["pictures"] * self.pictures, *["joints"] * self.joints])


def usable(dataset: Dataset, split: str, needs: SampleRequirements, most: int | None = None) -> Samples:
    """Return the samples of a split that meet ``needs``, at most ``most``, evenly spread; BadInputError if none do."""
    samples = dataset.splits[split]
    is_usable = np.ones(len(samples), np.bool_)
    for language in needs.languages:
        grammar(language)  # raises for an unknown language
        is_usable &= np.array([bool(texts) for texts in samples.texts[language]])
    if needs.pictures:
        is_usable &= (samples.pictures != NO_PICTURE).all(axis=1)
    if needs.joints:
        is_usable &= samples.known.all(axis=1)
    if not is_usable.any():
        raise BadInputError("training_no_samples", path=str(dataset.folder), split=split, needs=str(needs))
    return samples.subset(spread(np.flatnonzero(is_usable), most))


def spread(rows: NDArray[np.int64], most: int | None) -> NDArray[np.int64]:
    """Return ``most`` of the rows, evenly spaced, or all.

    Rows are ordered by room and so by character; the first rows would show only some of them.
    """
    if most is None or most >= len(rows):
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).round().astype(np.int64)]


def init_backbone(config: BackboneConfig | None, trained: str | None, start: str | None) -> Backbone | None:
    """Build the backbone; load an earlier model's weights if one is named (bundled name, folder or Hub id).

    Without ``trained`` the backbone can come from ``start``, whose weights are all used. Returns None without
    ``config``. Raises ``BadInputError`` for a frozen backbone without trained weights.
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
    """Load an earlier model's weights into a backbone."""
    folder = resolve_model(trained)
    prefix = "backbone."
    tensors = read_tensors(folder)
    backbone_tensors = {
        name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)
    }
    _fill(backbone, backbone_tensors, folder)


def load_weights(model: nn.Module, trained: str, added: Sequence[str] = (), *, new_words: bool = False) -> None:
    """Load the weights of an earlier model of the same architecture; it can lack all of the layers ``added`` since.

    With ``new_words`` the model's vocabularies can be larger; new words start with the unknown word's embedding.
    """
    folder = resolve_model(trained)
    tensors = read_tensors(folder)
    if new_words:
        sizes = {name: len(value) for name, value in model.state_dict().items() if name.endswith(_WORDS)}
        for name in sizes.keys() & tensors.keys():
            rows = tensors[name]
            tensors[name] = torch.cat([rows, rows[UNK].expand(max(sizes[name] - len(rows), 0), -1)])
    initial = {name: value for name, value in model.state_dict().items() if name.startswith(tuple(added))}
    _fill(model, tensors if initial.keys() & tensors.keys() else {**tensors, **initial}, folder)


def revision_of(trained: str | None) -> str | None:
    """Return the revision that identifies an earlier model's weights."""
    return None if trained is None else resolve_model(trained).revision


def views(  # noqa: PLR0913  pictures, backbone, framing and cache
    dataset: Dataset,
    backbone: Backbone | None,
    config: PicturesConfig,
    cache: Path,
    *,
    mirrored: bool = False,
    places: NDArray[np.float32] | None = None,
) -> Views:
    """Return the network's view of the pictures: nothing, a frozen backbone's features, or the square crops.

    ``places`` (p, 20, 2) are the joints' places in the pictures, by default the true ones.
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
    """Return the vocabularies of the model ``start``, or without one those of the training ``texts``.

    ``texts`` are by language. Raises ``BadInputError`` if a language has no words.
    """
    if start is not None:
        folder = resolve_model(start).path
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
    """Return the vocabularies with new words of ``texts`` appended.

    A word is new if ``numbers_as_meant``, which accepts polite forms and slips, does not know it either.
    """
    return {
        code: Vocabulary(code, (*old.words, *(word for word in seen if old.numbers_as_meant([word]) == [UNK])))
        for code, old in vocabularies.items()
        for seen in (Vocabulary.of(chain.from_iterable(texts[code]), code, least_seen).words[len(SPECIALS) :],)
    }


def _fill(module: nn.Module, tensors: dict[str, Tensor], folder: ModelFolder) -> None:
    if flaw := tensor_mismatch(tensors, module.state_dict()):
        raise BadInputError("training_start_unfit", model=folder.id, reason=flaw)
    module.load_state_dict(tensors)

"""An editor that has learned a handful of instances by heart, for tests of what it does with them."""

from __future__ import annotations

from pathlib import Path

import torch

from fmp_models.editing.neural_editor import NeuralEditor
from fmp_models.hub.models import LoadedModel
from fmp_models.hub.references import ModelFolder
from fmp_models.languages import Vocabulary
from fmp_models.networks.backbone import VisionModel
from fmp_models.networks.editor import Editor, EditorConfig
from fmp_models.training.dataset_samples import Samples
from fmp_models.training.editor import Editing, EditingConfig, EditorValidation, Instance, unrolled
from fmp_models.training.model_inputs import SampleInputs, Variation, Views
from fmp_models.training.objective import saver

_STEPS = 200


class Learned:
    """An editor that has learned a handful of instances by heart."""

    def __init__(self, samples: Samples, instances: list[Instance], *, implicit: bool = False) -> None:
        languages = [*dict.fromkeys(one.language for one in instances)]
        config = EditingConfig(tuple(languages), batch=8, withheld=0.0)
        texts = {code: [one.wanted for one in instances if one.language == code] for code in languages}
        self.vocabularies = {code: Vocabulary.of(texts[code], code, 1) for code in languages}
        sizes = {code: len(vocabulary) for code, vocabulary in self.vocabularies.items()}
        torch.manual_seed(0)
        network = EditorConfig(sizes, hidden=64, layers=2, heads=2, dropout=0.0, measures=False, implicit=implicit)
        self.model = VisionModel(Editor(network), None)
        made = [
            unrolled(one, self.vocabularies[one.language], languages.index(one.language), "middle") for one in instances
        ]
        inputs = SampleInputs(samples, Views())
        self.validation = EditorValidation(inputs, instances, self.vocabularies)
        task = Editing(
            self.model,
            config,
            inputs,
            [one for one in made if one is not None],
            Variation(),
            self.validation,
            saver("editor", {}, self.vocabularies),
        )
        optimiser = torch.optim.Adam(self.model.parameters(), lr=2e-3)
        generator = torch.Generator().manual_seed(0)
        for _ in range(_STEPS):
            optimiser.zero_grad()
            loss, _ = task.loss(task.batch(task.order(generator)[0], generator))
            loss.backward()
            optimiser.step()
        self.model.eval()
        with torch.no_grad():
            self.scores = task.validate()
        loaded = LoadedModel(self.model, self.vocabularies, ModelFolder(Path(), "learned", "1"))
        self.editor = NeuralEditor(loaded, "cpu")

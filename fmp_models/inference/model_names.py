"""Names of correction models; this module imports nothing heavy, so that the command line can list them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelName:
    """The model of a correction: its id and pinned revision."""

    id: str
    revision: str


GEOMETRY = ModelName("geometry", "1")
CAPTIONER = "captioner"  # the bundled captioner of photographs, for every language
# The model if none is chosen: the one with most correct clauses on real photographs, then most salient changes, by the
# results stored beside the captioner; tests/fmp_models/test_default_model.py checks this.
DEFAULT = GEOMETRY.id
UNREPAIRED = ", unrepaired"  # suffix of the name of a captioner that returns its drafts as they are

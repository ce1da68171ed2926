"""The ranking beside a text against the model: what a writer waits after each word, and once for each new task.

As in the app: the bundled retrievers, the pose model on the pictures of a campaign, and the queue with its one worker.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from annotate.campaigns.builder import CampaignOrder, make_campaign
from annotate.kinds.task_kind import QuestionView
from annotate.tasks.fooling import ModelQueue
from demo.tabs.annotate import ranker
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.inference.retrievers import Retrievers
from fmp_models.inference.target_finder import TargetFinder

SAMPLE = Path(__file__).resolve().parents[2] / "fmp_models" / "data" / "sample"
MIN_WORDS = 3
PATIENCE = 60.0  # seconds, so that nothing is cut short


def typed(model: Path, language: str, text: str) -> tuple[list[float], list[float]]:
    """Give the milliseconds of the first look at each task of the sample, and of the ranking after each word."""
    retrievers = Retrievers("")
    retrievers.reading(language)  # which loads it
    rank, queue = ranker(TargetFinder(MediaPipeEstimator(model), retrievers)), ModelQueue(PATIENCE)
    order = CampaignOrder(dataset=SAMPLE, name="fool", items=9, kinds=("fool", "find"), retrieval_items=0)
    words, prepared, ranked = text.split(), list[float](), list[float]()
    with tempfile.TemporaryDirectory(prefix="fixmypose-bench-") as folder:
        campaign = make_campaign(order, Path(folder) / "campaign")
        for question in campaign.questions("fool", language):
            view = QuestionView(question, "ann", b"")
            for count in (0, *range(MIN_WORDS, len(words) + 1)):
                start = time.perf_counter()
                queue.ranking(rank, view, " ".join(words[:count]), campaign.picture)
                (ranked if count else prepared).append(1000 * (time.perf_counter() - start))
    return prepared, ranked

"""What a search of a large collection takes, how much it finds of what exact scores do, and the memory it needs."""

from __future__ import annotations

import itertools
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fmp_models.hub import LoadedModel, load_retriever
from fmp_models.inference import gallery as galleries
from fmp_models.inference.demonstration import read_description
from fmp_models.inference.gallery import JUDGED, Gallery, open_gallery, text_vector
from fmp_models.pose import Pose
from fmp_models.sim import seen_pairs

PAIRS, NOISE = 3_000, 0.05  # drawn pairs; how far the vectors of the other poses are from theirs
TEXTS = (
    "raise your left arm overhead",
    "bend your right knee and lower your hips",
    "turn your torso to the left",
    "lower both hands to your hips",
)


def enlarged(drawn: Gallery, count: int, folder: Path) -> Gallery:
    """Return a collection of ``count`` poses in mapped files: drawn ones, and others a little different from them."""
    generator = np.random.default_rng(0)
    rows = np.arange(count) % len(drawn.names)
    vectors = drawn.vectors[rows].astype(np.float32)
    vectors += NOISE * generator.standard_normal(vectors.shape, dtype=np.float32)
    values = {"names": drawn.names[rows], "joints": drawn.joints[rows], "vectors": vectors.astype(np.float16)}
    for name, array in values.items():
        np.save(folder / f"{name}.npy", array)
    return Gallery(*(np.load(folder / f"{name}.npy", mmap_mode="c") for name in values))


def share_found(drawn: Gallery, loaded: LoadedModel, questions: int = 8) -> float:  # type: ignore[type-arg]
    """Return how many of the pictures with the highest exact scores are among those with the highest estimates."""
    space, shares = loaded.network.network, []
    currents = np.linspace(0, len(drawn.names) - 1, questions).astype(int)
    for place, text in zip(currents, itertools.cycle(TEXTS)):
        current = drawn.joints[place].astype(np.float64)
        vector = text_vector(loaded, read_description(text, "en"))
        parts = np.array_split(drawn.joints, len(drawn.joints) // 2000 + 1)
        exact = np.concatenate([galleries._changes(space, current, part) @ vector for part in parts])
        best = np.argpartition(-exact, JUDGED)[:JUDGED]
        shares.append(np.isin(best, drawn.shortlist(space, vector, current)).mean())
    return float(np.mean(shares))


def measure_gallery(count: int, show: Callable[[str, list[float]], None], runs: int = 60) -> None:
    """Print the table's rows and the memory."""
    loaded = load_retriever("retriever-space")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "joints.parquet"
        joints = seen_pairs([0, PAIRS], PAIRS, ()).joints.reshape(-1, 20, 3).astype(np.float32)
        kind = pa.list_(pa.list_(pa.float32()))
        names = [str(number) for number in range(len(joints))]
        pq.write_table(pa.table({"picture": names, "estimated_joints": pa.array(joints.tolist(), kind)}), file)
        drawn = open_gallery(str(file), loaded, lambda *_: None)
        share = share_found(drawn, loaded)
        found = enlarged(drawn, count, Path(folder))
        current = Pose(found.joints[0].astype(np.float64), np.ones(20))
        reads = itertools.cycle([read_description(text, "en") for text in TEXTS])
        space = loaded.network.network
        taken: dict[str, list[float]] = {"before re-ranking": [], "with 500 exact scores": [], "and clauses": []}
        for run in range(runs + 5):
            read = next(reads)
            for name, step in (
                (
                    "before re-ranking",
                    lambda read=read: found.shortlist(space, text_vector(loaded, read), current.joints),
                ),
                ("with 500 exact scores", lambda read=read: found.nearest(loaded, read, current.joints)),
                ("and clauses", lambda read=read: found.find(loaded, read, current)),
            ):
                start = time.perf_counter()
                step()
                if run >= 5:
                    taken[name].append((time.perf_counter() - start) * 1000)
        for name, times in taken.items():
            show(f"{count:,} poses, {name}", times)
        mapped, vectors = (found.names.nbytes + found.joints.nbytes) / 1e6, found.vectors.nbytes / 1e6
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        print(
            f"mapped from disk: vectors {vectors:.0f} MB, joints and names {mapped:.0f} MB; peak {peak:.0f} MB in all"
        )
        print(f"of the exact best {JUDGED} among {2 * PAIRS:,} drawn poses, {share:.0%} are kept before re-ranking")

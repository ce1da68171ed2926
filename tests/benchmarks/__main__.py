"""How long corrections, the simulator and scoring take, step by step: ``make bench`` prints a table and judges nothing.

``make bench BENCH_ARGS=--crowd`` measures five hundred people who answer for five minutes instead, once on SQLite and
once on PostgreSQL: with those who come, that is half an hour. ``--people``, ``--minutes`` and ``--pause`` (seconds that
one of them thinks before an answer, on mean) make it another crowd. ``make bench BENCH_ARGS=--walks`` takes the walks
of people through the app, and prints the steps and seconds of each. ``--first-page`` loads the page as strangers do,
over a slow line and without one, and prints what came and when. ``--fool`` only ranks ten candidates while a text is
typed. ``--gallery N`` searches a collection of N poses.

Everything runs on two cores, as on a free Space. The pictures are the real photographs of FMP_SHARED, else the
examples of the page.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import torch

from fmp_models.describe.descriptions import describe
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.geometry.execution import executed_steps
from fmp_models.geometry.lexicon import Clause
from fmp_models.geometry.measures import BY_AXIS
from fmp_models.geometry.shape import NamedShape
from fmp_models.geometry.shapes import SHAPES
from fmp_models.inference.corrector import Corrector, GeometryModel
from fmp_models.pose import Pose
from fmp_models.preprocessing import read_photograph
from fmp_models.sim.capture import RenderJob, Unit, captures_of, describe_pair
from tests.benchmarks import annotators, answers, captions, first_page, fooling, gallery, live, models, retrieval, walks
from tests.benchmarks.annotators import MANY, Crowd, Waits
from tests.benchmarks.live import Visitors
from tests.pose_models import pose_model_here
from tests.postgresql_server import new_database, owner, programs, running_postgresql

ROOT = Path(__file__).resolve().parents[2]
SHARED = (ROOT / os.environ.get("FMP_SHARED", "../shared")).resolve()
HEADING = f"{'milliseconds':<46}{'median':>10}{'p95':>10}{'runs':>7}"
MAX_FAULTS = 20  # told one by one
CORES = 2
WARM_UP = 5
RUNS = 60
COLD_STARTS = 5
STARTS = {
    "import the page": ("-c", "import demo.shell"),
    "help of fmp_models": ("-m", "fmp_models", "--help"),
    "help of annotate": ("-m", "annotate", "--help"),
}
# By a small process, since a new one counts the memory of the one that forked it. Kilobytes, as Linux has them.
TELLS_USE = (
    "import resource, subprocess, sys; subprocess.run([sys.executable, *sys.argv[1:]], check=True, "
    "stdout=subprocess.DEVNULL); used = resource.getrusage(resource.RUSAGE_CHILDREN); "
    "print(used.ru_utime + used.ru_stime, used.ru_maxrss)"
)
LIVE_VISITORS = (
    Visitors(),
    Visitors(3),
    Visitors(phone=True),
    Visitors(in_browser=True),
    Visitors(in_browser=True, phone=True),
)
LIVE_PEOPLE = (1, 4, 8)
CAPTION_RUNS = 30
TYPED = {
    "en": "Lower your right hand until it rests beside your hip, bend your left knee a little more, and turn your head "
    "towards the window, as if somebody had just called you from the garden.",
    "hi": "अपना दाहिना हाथ नीचे लाकर कूल्हे के पास रखें, बायाँ घुटना थोड़ा और मोड़ें, और सिर खिड़की की ओर ऐसे घुमाएँ जैसे किसी ने "
    "आपको बाहर से आवाज़ दी हो।",
}
NETWORK_ROUNDS = range(2, 31)  # some steps take half a minute each, and some a twentieth of a second
NETWORK_SECONDS = 20  # of processor time for a group, after which no further round begins


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench", description="Measure how long things take.")
    parser.add_argument("--crowd", action="store_true", help="only many people who answer at once, on both databases")
    parser.add_argument("--walks", action="store_true", help="only the walks of people, in steps and seconds")
    parser.add_argument("--first-page", action="store_true", help="only the first page: bytes, requests and times")
    parser.add_argument("--live", action="store_true", help="only the live coach, by whom its joints are found")
    parser.add_argument("--fool", action="store_true", help="only the ranking during typing, of ten candidates")
    parser.add_argument("--gallery", type=int, nargs="?", const=1_000_000, metavar="N", help="only a search of N poses")
    parser.add_argument("--people", type=int, default=MANY.people)
    parser.add_argument("--minutes", type=float, default=MANY.seconds / 60)
    parser.add_argument("--pause", type=float, default=MANY.pause, help="seconds of thought before an answer, on mean")
    return parser


def _load() -> str:
    return f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""


def pictures() -> tuple[Path, Path]:
    """Give a current and a target picture."""
    photographs = SHARED / "data" / "real" / "photos"
    if photographs.is_dir():
        return photographs / "standing.jpg", photographs / "warrior2.jpg"
    examples = sorted((ROOT / "demo" / "examples").glob("*.jpg"))
    return examples[0], examples[1]


def measure(step: Callable[[], object], runs: int = RUNS, warm_up: int = WARM_UP) -> list[float]:
    """Give the milliseconds of each run, after some that do not count."""
    taken = []
    for _ in range(warm_up + runs):
        start = time.perf_counter()
        step()
        taken.append((time.perf_counter() - start) * 1000)
    return taken[warm_up:]


def measure_callers(step: Callable[[], object], callers: int) -> list[float]:
    """Give the milliseconds each of several callers at once waits for its answers."""
    with ThreadPoolExecutor(callers) as pool:
        waits = [pool.submit(measure, step, RUNS // callers) for _ in range(callers)]
        return [milliseconds for wait in waits for milliseconds in wait.result()]


def show(step: str, taken: list[float]) -> None:
    """Print one row of the table."""
    p95 = statistics.quantiles(taken, n=20, method="inclusive")[-1]
    print(f"{step:<46}{statistics.median(taken):>10.1f}{p95:>10.1f}{len(taken):>7}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 2 when there is no pose model to measure with, 1 when somebody of a crowd met a fault."""
    asked = _parser().parse_args(arguments)
    model = pose_model_here(os.environ.get("FMP_POSE_MODEL", ""), SHARED)
    if model is None:
        print("There is no pose model here; please set FMP_POSE_MODEL to its path.", file=sys.stderr)
        return 2
    cores = "all cores"
    if hasattr(os, "sched_setaffinity"):
        chosen = sorted(os.sched_getaffinity(0))[:CORES]
        os.sched_setaffinity(0, chosen)
        cores = f"{len(chosen)} cores"
    if asked.crowd:
        print(f"Python {platform.python_version()}, {platform.machine()}, {cores}{_load()}")
        return show_crowd(model, Crowd(asked.people, 60 * asked.minutes, asked.pause))
    paths = pictures()
    if asked.walks:
        print(f"Python {platform.python_version()}, {platform.machine()}, {cores}{_load()}")
        return show_walks(model, paths)
    if asked.first_page:
        print(f"Python {platform.python_version()}, {platform.machine()}, {cores}{_load()}")
        return show_first_page(model)
    if asked.live or asked.fool or asked.gallery:
        print(f"Python {platform.python_version()}, {platform.machine()}, {cores}{_load()}")
        print(HEADING)
        if asked.live:
            show_live(model, paths)
        elif asked.fool:
            show_fool(model)
        else:
            gallery.measure_gallery(asked.gallery, show)
        return 0
    cold = [sys.executable, "-m", "fmp_models", "correct", *map(str, paths), "--json"]

    named = f"{paths[0].name} -> {paths[1].name}"
    print(f"Python {platform.python_version()}, {platform.machine()}, {cores}{_load()}; {named}")
    print(HEADING)
    show_metrics()  # before a model takes threads and memory, which weigh on such short steps
    current, target = (path.read_bytes() for path in paths)
    estimator = MediaPipeEstimator(model)
    corrector = Corrector(estimator, [GeometryModel()])
    photograph = read_photograph(current)
    _, seen = corrector.correct(current, target)
    show("check a photograph", measure(lambda: read_photograph(current)))
    show("estimate its joints", measure(lambda: estimator.estimate(photograph)))
    for language in ("en", "hi"):
        show(f"describe the pair ({language})", measure(lambda language=language: describe(seen.pair, language)))
    show_steps(seen.pair.current)
    show("whole correction", measure(lambda: corrector.correct(current, target)))
    show("whole correction, two callers at once", measure_callers(lambda: corrector.correct(current, target), 2))
    environment = os.environ | {"FMP_POSE_MODEL": str(model)}
    show(
        "cold start to first answer, a new process",
        measure(
            lambda: subprocess.run(cold, cwd=ROOT, env=environment, check=True, capture_output=True),
            runs=COLD_STARTS,
            warm_up=1,
        ),
    )
    show_starts()
    show_live(model, paths)
    show_fool(model)
    show_annotation(model)
    show_simulator()
    show_networks()
    return 0


def show_starts() -> None:
    """Print the processor time and the memory of new processes that only start."""
    for name, arguments in STARTS.items():
        taken, memory = zip(*(_started(arguments) for _ in range(COLD_STARTS)), strict=True)
        show(f"{name}, at most {max(memory):.0f} MB, processor", list(taken))


def _started(arguments: Sequence[str]) -> tuple[float, float]:
    """Return the processor milliseconds and the megabytes of one run."""
    command = [sys.executable, "-c", TELLS_USE, *arguments]
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    return float(told[0]) * 1000, float(told[1]) / 1024


def show_steps(current: Pose) -> None:
    """Print how long a figure takes to do one thing that a text asks for, over every shape and the axes of movement."""
    goals: list[Clause | NamedShape] = [NamedShape(shape, shape.sides[-1]) for shape in SHAPES]
    goals += [Clause(side, part, way) for side, part, way in BY_AXIS if not BY_AXIS[side, part, way][0].of_faces]
    executed_steps(goals[:1], current)  # which imports SciPy
    show("do one step of a text", [taken for goal in goals for taken in measure(partial(_step, goal, current), 1, 0)])


def _step(goal: Clause | NamedShape, current: Pose) -> None:
    executed_steps([goal], current)


def show_live(model: Path, paths: Sequence[Path]) -> None:
    """Print how long the live coach takes from a frame to what is drawn over it, and to answer landmarks alone."""
    for visitors in LIVE_VISITORS:
        seen = live.exercising(model, paths, visitors)
        gone_over = " (went over to frames)" if visitors.in_browser and not all(one.in_browser for one in seen) else ""
        show_seen(f"live, {visitors.words}{gone_over}", seen)
    for people in LIVE_PEOPLE:
        show_seen(f"live, landmarks of {people} answered", live.posting(model, paths, people))


def show_seen(what: str, seen: Sequence[live.Seen]) -> None:
    """Print frames a second of each visitor, and a row of what all of them waited."""
    rates = " ".join(f"{one.rate:.1f}" for one in seen)
    print(f"{what}: {rates} a second")
    show(what, [wait for one in seen for wait in one.waits])


def show_fool(model: Path) -> None:
    """Print how long the retrievers take to rank ten candidates by a text that grows word by word."""
    for language, text in TYPED.items():
        prepared, ranked = fooling.typed(model, language, text)
        show(f"fool ({language}): first look at a task", prepared)
        show(f"fool ({language}): rank while typing", ranked)


def show_annotation(model: Path) -> None:
    """Print how long people wait until what they gave is kept for good."""
    with tempfile.TemporaryDirectory(prefix="fixmypose-bench-", dir=ROOT) as folder:  # /tmp may be no disk
        waits, a_second = answers.saved_in(Path(folder))
    show(f"save an answer, {answers.PEOPLE} at once: {a_second:.0f} a second", waits)
    show_answers(annotators.CLASS, annotators.answered(model, annotators.CLASS))


def show_crowd(model: Path, crowd: Crowd) -> int:
    """Print how long a crowd waits with either database."""
    print(HEADING)
    faults = show_answers(crowd, annotators.answered(model, crowd), "SQLite")
    if programs() is None or owner() is None:
        print("There is no PostgreSQL here to measure with.", file=sys.stderr)
        return 1
    with running_postgresql(synced=True) as server:
        faults += show_answers(crowd, annotators.answered(model, crowd, new_database(server)), "PostgreSQL")
    return 1 if faults else 0


def show_walks(model: Path, paths: tuple[Path, Path]) -> int:
    """Print the steps and the seconds of each walk."""
    print(f"{'walk':<54}{'steps':>8}{'seconds':>10}{'slowest':>10}{'runs':>7}")
    for name, taken in walks.every(model, paths):
        seconds = [one.seconds for one in taken]
        steps = "/".join(str(one) for one in sorted({one.steps for one in taken}))
        print(
            f"{name:<54}{steps:>8}{statistics.median(seconds):>10.1f}{max(seconds):>10.1f}{len(taken):>7}", flush=True
        )
    return 0


def show_first_page(model: Path) -> int:
    """Print the figures of the first page, medians of some visits, on a phone and a desk, slow and not."""
    print(f"{'first page, empty cache':<44}" + "".join(f"{title:>12}" for title in first_page.TITLES))
    for name, seen in first_page.every(model):
        print(f"{name:<44}" + "".join(f"{value:>12}" for value in first_page.row(seen)), flush=True)
    return 0


def show_answers(crowd: Crowd, waits: Waits, database: str = "") -> list[str]:
    """Print the rows of a crowd, what it cost the app, and what went wrong."""
    about = f", {database}" if database else ""
    show(f"answer through the app, {crowd.people} people{about}", waits.answers)
    show(f"fetch a task ahead, {crowd.people} people{about}", waits.aheads)
    each = 1000 * waits.processor / max(1, len(waits.answers))
    print(f"the app took {each:.1f} ms of a processor for each answer with its task ahead; {len(waits.faults)} faults")
    print(f"it ended in {waits.ending:.1f} seconds")
    for fault in waits.faults[:MAX_FAULTS]:
        print(fault, file=sys.stderr)
    return waits.faults


def show_simulator() -> None:
    """Print what one process of the simulator needs; as many run at once as there are cores."""
    shoot = RenderJob(Unit(0, 1))
    show(
        "simulate: furnish a room and light it",
        measure(lambda: RenderJob(shoot.unit).stage, runs=COLD_STARTS, warm_up=1),
    )
    captures = itertools.cycle(captures_of(shoot.unit, 0))
    show("simulate: joints and pictures of a pair", measure(lambda: shoot.take(next(captures))))
    pairs = itertools.cycle(
        taken for taken in (shoot.take(c, pictures=False) for c in captures_of(shoot.unit, 0)) if not taken.flaw
    )

    def describe_next() -> None:
        taken = next(pairs)
        describe_pair(taken.poses, shoot.landmarks, taken.capture.uid, 0, 0)

    show("simulate: its texts in both languages", measure(describe_next))


def show_metrics() -> None:
    """Print what one batch of captions costs to score, beside pycocoevalcap on the same tokens."""
    for step, run in captions.steps():
        show(step, measure(run, runs=CAPTION_RUNS))


def measure_in_turn(steps: Sequence[Callable[[], object]]) -> list[list[float]]:
    """Give the processor milliseconds of each step's runs, one of each in every round.

    Of one thread: several wait for each other by counting, so whatever else runs on the cores shows in their time, up
    to twentyfold. What wanders meanwhile falls on all steps alike.
    """
    taken: list[list[float]] = [[] for _ in steps]
    begin = time.process_time()
    for number in range(NETWORK_ROUNDS.stop):
        if number > NETWORK_ROUNDS.start and time.process_time() - begin > NETWORK_SECONDS:
            break
        for step, times in zip(steps, taken, strict=True):
            start = time.process_time()
            step()
            times.append((time.process_time() - start) * 1000)
    return [times[1:] for times in taken]  # the first round does not count


def show_networks() -> None:
    """Print what the paper's networks cost at the paper's sizes, beside the released code's way of working."""
    torch.set_num_threads(1)
    print(f"{'processor milliseconds of one thread':<46}{'median':>10}{'least':>10}{'runs':>7}{'times':>8}")
    for group in itertools.chain(models.groups(), retrieval.groups()):
        every = measure_in_turn([run for _, run in group])
        first = statistics.median(every[0])
        for (name, _), taken in zip(group, every, strict=True):
            median = statistics.median(taken)
            row = f"{name:<46}{median:>10.1f}{min(taken):>10.1f}{len(taken):>7}{median / first:>8.2f}"
            print(row, flush=True)


if __name__ == "__main__":
    sys.exit(main())

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from accelerate import Accelerator
from safetensors.torch import load_file

from fmp_models.errors import BadInputError
from fmp_models.training.config import EngineConfig
from fmp_models.training.engine import fit, rate_factor
from tests.thoroughness import thorough

ROOT = Path(__file__).resolve().parents[3]
SHORT = EngineConfig(steps=12, log_every=4, validate_every=6, rate=0.01)


def run(tiny: ModuleType, out: Path, config: EngineConfig = SHORT, **task: Any) -> Any:  # noqa: ANN401
    task_of_run = tiny.TinyTask(**task)
    fit(task_of_run, config, out, tiny.ABOUT)
    return task_of_run


def command(tiny: ModuleType, out: Path, settings: dict[str, object], **task: object) -> list[str]:
    return [sys.executable, str(tiny.__file__), str(out), json.dumps(settings), json.dumps(task)]


def start(words: list[str], **more: str) -> subprocess.Popen[str]:
    place = {**os.environ, "PYTHONPATH": str(ROOT), **more}
    return subprocess.Popen(words, env=place, stderr=subprocess.PIPE, text=True)


def checkpoint(out: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = torch.load(max(out.glob("checkpoint-*.pt")), weights_only=True)
    return loaded


def lines(out: Path) -> list[dict[str, Any]]:
    """Read the log without what depends on the clock."""
    read = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "seconds"} for line in read]


def same(a: object, b: object) -> bool:
    if isinstance(a, torch.Tensor):
        return isinstance(b, torch.Tensor) and torch.equal(a, b)
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    return a == b


@pytest.mark.usefixtures("drawn_curves")
def test_training_lowers_the_error_and_leaves_weights_scores_log_and_curves(tiny: ModuleType, tmp_path: Path) -> None:
    run(tiny, tmp_path / "run", replace(SHORT, steps=60, log_every=20, validate_every=30))
    validations = [line for line in lines(tmp_path / "run") if "best" in line]
    assert validations[-1]["error"] < 0.6 * validations[0]["error"]
    assert [line["step"] for line in lines(tmp_path / "run") if "rate" in line] == [20, 40, 60]
    best = json.loads((tmp_path / "run" / "best" / "scores.json").read_text())
    assert best["error"] == min(line["error"] for line in validations)
    assert load_file(tmp_path / "run" / "best" / "model.safetensors")["0.weight"].dtype is torch.float32
    assert (tmp_path / "run" / "curves.png").read_bytes().startswith(b"\x89PNG")


@thorough
def test_a_killed_run_started_again_ends_with_the_weights_of_an_unbroken_one(tiny: ModuleType, tmp_path: Path) -> None:
    settings = {
        "steps": 30,
        "accumulate": 2,
        "average": 0.9,
        "warmup": 5,
        "schedule": "cosine",
        "log_every": 7,
        "validate_every": 20,
        "save_minutes": 0.0,
    }
    unbroken, broken = tmp_path / "unbroken", tmp_path / "broken"
    whole = start(command(tiny, unbroken, settings))
    killed = start(command(tiny, broken, settings, slow=0.01))
    while not any(int(path.stem[-9:]) >= 9 for path in broken.glob("checkpoint-*.pt")):
        assert killed.poll() is None, killed.communicate()
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    stopped = checkpoint(broken)["progress"]["step"]
    assert 9 <= stopped < 30
    again = start(command(tiny, broken, {**settings, "ahead": 0}))
    assert f"resuming from step {stopped}" in again.communicate()[1]
    whole.communicate()
    one, other = checkpoint(unbroken), checkpoint(broken)
    for state in (one, other):
        state["progress"].pop("seconds")
    assert same(one, other)
    assert one["progress"]["step"] == 30
    assert lines(unbroken) == lines(broken)
    best = "best/model.safetensors"
    assert (unbroken / best).read_bytes() == (broken / best).read_bytes()


def test_a_run_begun_when_the_optimiser_went_over_weights_many_times_goes_on_so(
    tiny: ModuleType, tmp_path: Path
) -> None:
    run(tiny, tmp_path, replace(SHORT, save_minutes=0.0))
    before, last = sorted(tmp_path.glob("checkpoint-*.pt"))
    last.unlink()
    begun = torch.load(before, weights_only=True)
    (group,) = begun["optimiser"]["param_groups"]
    assert group["fused"] is True
    torch.save(begun | {"optimiser": begun["optimiser"] | {"param_groups": [group | {"fused": None}]}}, before)
    run(tiny, tmp_path, replace(SHORT, save_minutes=0.0))
    ended = checkpoint(tmp_path)
    assert ended["progress"]["step"] == 12
    assert ended["optimiser"]["param_groups"][0]["fused"] is None


@thorough
def test_a_damaged_last_checkpoint_gives_way_to_the_one_before_it(
    tiny: ModuleType, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fmp_models")
    run(tiny, tmp_path / "whole")
    run(tiny, tmp_path / "cut", replace(SHORT, save_minutes=0.0))
    last = sorted((tmp_path / "cut").glob("checkpoint-*.pt"))
    assert [path.stem[-2:] for path in last] == ["11", "12"]
    last[1].write_bytes(last[1].read_bytes()[:1000])
    caplog.clear()
    fit(tiny.TinyTask(), SHORT, tmp_path / "cut", tiny.ABOUT)
    unread, resumed = caplog.messages[:2]
    assert unread.startswith(f"{last[1].name} cannot be read")
    assert resumed == "resuming from step 11"
    assert same(checkpoint(tmp_path / "whole")["model"], checkpoint(tmp_path / "cut")["model"])


def test_preparing_batches_ahead_changes_nothing(tiny: ModuleType, tmp_path: Path) -> None:
    run(tiny, tmp_path / "plain")
    run(tiny, tmp_path / "ahead", replace(SHORT, ahead=3))
    assert same(checkpoint(tmp_path / "plain")["model"], checkpoint(tmp_path / "ahead")["model"])


def test_another_seed_gives_other_weights(tiny: ModuleType, tmp_path: Path) -> None:
    run(tiny, tmp_path / "one")
    run(tiny, tmp_path / "other", replace(SHORT, seed=2020))
    assert not same(checkpoint(tmp_path / "one")["model"], checkpoint(tmp_path / "other")["model"])


def test_a_finished_run_started_again_does_nothing(tiny: ModuleType, tmp_path: Path) -> None:
    run(tiny, tmp_path / "run")
    before = checkpoint(tmp_path / "run"), lines(tmp_path / "run")
    run(tiny, tmp_path / "run")
    after = checkpoint(tmp_path / "run"), lines(tmp_path / "run")
    for state, _ in (before, after):
        state["progress"].pop("seconds")
    assert same(list(before), list(after))


@thorough
def test_the_time_limit_ends_a_run_with_a_whole_checkpoint_from_which_more_time_goes_on(
    tiny: ModuleType, tmp_path: Path
) -> None:
    limited = replace(SHORT, steps=60, minutes=0.001)
    run(tiny, tmp_path / "run", limited, slow=0.02)
    state = checkpoint(tmp_path / "run")
    assert 0 < state["progress"]["step"] < 60
    assert state["progress"]["validated"] == state["progress"]["step"]
    run(tiny, tmp_path / "run", replace(limited, minutes=None))
    assert checkpoint(tmp_path / "run")["progress"]["step"] == 60


@pytest.mark.parametrize(("higher", "best_at"), [(True, 2), (False, 1)])
def test_the_best_is_kept_by_the_direction_of_the_metric_and_patience_ends_the_run(
    tiny: ModuleType,
    tmp_path: Path,
    higher: bool,  # noqa: FBT001  a parameter of the test
    best_at: int,
) -> None:
    scores = [0.5, 0.8, 0.8, 0.6, 0.7, 0.9]
    config = replace(SHORT, steps=6, validate_every=1, patience=3)
    run(tiny, tmp_path / "run", config, higher_is_better=higher, scores=scores)
    assert json.loads((tmp_path / "run" / "best" / "scores.json").read_text())["step"] == best_at
    assert checkpoint(tmp_path / "run")["progress"]["step"] == best_at + 3


def test_the_best_weights_are_the_averaged_ones_and_training_goes_on_from_its_own(
    tiny: ModuleType, tmp_path: Path
) -> None:
    task = run(tiny, tmp_path / "run", replace(SHORT, average=0.99))
    own, averaged = task.model.state_dict(), checkpoint(tmp_path / "run")["average"]
    assert not same(own["0.weight"], averaged["0.weight"])
    plain = run(tiny, tmp_path / "plain")
    assert same(dict(own), dict(plain.model.state_dict()))
    kept = json.loads((tmp_path / "run" / "best" / "scores.json").read_text())
    assert kept["step"] == SHORT.steps
    assert same(load_file(tmp_path / "run" / "best" / "model.safetensors"), averaged)


def test_a_loss_that_is_no_number_ends_the_run_before_it_reaches_the_weights(tiny: ModuleType, tmp_path: Path) -> None:
    class Diverging(tiny.TinyTask):  # type: ignore[misc, name-defined]
        def loss(self, batch: Any) -> Any:  # noqa: ANN401
            loss, parts = super().loss(batch)
            self.calls = getattr(self, "calls", 0) + 1
            return (loss * float("nan") if self.calls == 5 else loss), parts

    task = Diverging()
    with pytest.raises(BadInputError, match="after step 4"):
        fit(task, replace(SHORT, save_minutes=0.0), tmp_path / "run", tiny.ABOUT)
    assert all(parameter.isfinite().all() for parameter in task.model.parameters())
    assert checkpoint(tmp_path / "run")["progress"]["step"] == 4


def test_bf16_trains_and_keeps_full_precision_weights(tiny: ModuleType, tmp_path: Path) -> None:
    run(tiny, tmp_path / "run", replace(SHORT, steps=60, validate_every=10, precision="bf16"))
    validations = [line["error"] for line in lines(tmp_path / "run") if "best" in line]
    assert validations[-1] < 0.6 * validations[0]
    assert checkpoint(tmp_path / "run")["model"]["0.weight"].dtype is torch.float32


class Scaler:
    """What accelerate asks of a scaler; a GPU has a real one."""

    def scale(self, loss: torch.Tensor) -> torch.Tensor:
        return loss

    def state_dict(self) -> dict[str, object]:
        return {}


def test_a_step_that_overflows_in_half_precision_is_told_and_training_goes_on(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    norms = iter([float("inf")])

    def first_overflows(self: Accelerator, parameters: Iterable[torch.Tensor], most: float) -> torch.Tensor:
        self.scaler = Scaler()
        norm = torch.nn.utils.clip_grad_norm_(list(parameters), most)
        return torch.tensor(next(norms, float(norm)))

    monkeypatch.setattr(Accelerator, "clip_grad_norm_", first_overflows)
    run(tiny, tmp_path / "run")
    gradients = [line["gradient"] for line in lines(tmp_path / "run") if "gradient" in line]
    assert len(gradients) == 3
    assert all(0 < gradient < float("inf") for gradient in gradients)


def test_fp16_is_refused_where_there_is_no_gpu(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(BadInputError, match="fp16"):
        run(tiny, tmp_path / "run", replace(SHORT, precision="fp16"))


def test_too_few_batches_for_a_step_are_refused(tiny: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="6 batches"):
        run(tiny, tmp_path / "run", replace(SHORT, accumulate=7))


@thorough
def test_two_processes_train_as_one_with_twice_the_batches_to_a_step(tiny: ModuleType, tmp_path: Path) -> None:
    settings: dict[str, object] = {"steps": 6, "rate": 0.01, "validate_every": 3, "log_every": 3}
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
    processes = [
        start(
            command(tiny, tmp_path / "two", settings, plain=True),
            ACCELERATE_USE_CPU="true",
            WORLD_SIZE="2",
            RANK=rank,
            LOCAL_RANK=rank,
            MASTER_ADDR="127.0.0.1",
            MASTER_PORT=port,
        )
        for rank in "01"
    ]
    errors = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], errors
    assert "step 6 of 6" in errors[0]
    assert "step" not in errors[1]
    run(tiny, tmp_path / "one", EngineConfig(**settings, accumulate=2), plain=True)  # type: ignore[arg-type]
    one, two = checkpoint(tmp_path / "one")["model"], checkpoint(tmp_path / "two")["model"]
    for name, weights in one.items():
        torch.testing.assert_close(weights, two[name], msg=name)
    assert [line["step"] for line in lines(tmp_path / "two")] == [3, 3, 6, 6]


def test_the_rate_warms_up_and_falls_along_half_a_cosine() -> None:
    config = EngineConfig(warmup=4, schedule="cosine")
    factors = [rate_factor(config, step, 24) for step in range(24)]
    assert factors[:5] == [0.25, 0.5, 0.75, 1.0, 1.0]
    assert factors[4:] == sorted(factors[4:], reverse=True)
    assert factors[14] == pytest.approx(0.5)
    assert factors[-1] < 0.01


def test_a_constant_rate_stays_after_the_warm_up() -> None:
    config = EngineConfig(warmup=2)
    assert [rate_factor(config, step, 5) for step in range(5)] == [0.5, 1, 1, 1, 1]


def test_a_run_notes_its_machine_hours_and_packages_and_no_names_of_the_machine(
    tiny: ModuleType, tmp_path: Path
) -> None:
    run(tiny, tmp_path / "run")
    text = (tmp_path / "run" / "training.json").read_text()
    note = json.loads(text)
    assert note["hours"] >= 0
    assert note["machine"]["cpu"]
    assert torch.__version__.startswith(note["packages"]["torch"])
    assert (
        note["chosen"]["best"]
        == json.loads((tmp_path / "run" / "best" / "scores.json").read_text())[note["chosen"]["metric"]]
    )
    assert socket.gethostname() not in text
    assert str(tmp_path) not in text

"""The training loop, the same for every task: steps, validation, best weights, curves and resuming.

The randomness of a step depends only on the seed and the step's number. On a CPU a run that was killed and resumed
therefore ends with exactly the weights of an uninterrupted one. Several processes, started by ``accelerate launch``,
share the batches of a step; the first process validates and writes.
"""

from __future__ import annotations

import copy
import logging
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import torch
from accelerate import Accelerator, DistributedDataParallelKwargs
from accelerate.utils import broadcast_object_list, send_to_device
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor, nn

from fmp_models.common import replace_file
from fmp_models.errors import BadInputError
from fmp_models.training.batching import BatchShares, BatchSource, batches_from, count_batches, seed_chance
from fmp_models.training.config import EngineConfig
from fmp_models.training.run_folder import CURVES, RunFolder, opened

Batch = TypeVar("Batch")
Parts = dict[str, Tensor]

_PER_MINUTE = 60
_log = logging.getLogger(__name__)


class TrainingTask(BatchSource[Batch], Protocol[Batch]):
    """The protocol of a training task: a model, its batches, its loss and the metric that selects the best weights."""

    @property
    def model(self) -> nn.Module:
        """The model: everything that is trained and saved."""
        ...

    @property
    def metric(self) -> str:
        """The score that selects the best weights."""
        ...

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is better."""
        ...

    def loss(self, batch: Batch) -> tuple[Tensor, Parts]:
        """Return the loss of a batch, to be minimised, and its parts by name."""
        ...

    def validate(self) -> dict[str, float]:
        """Return the model's scores, including ``metric``; the model is in evaluation mode and gradients are off."""
        ...

    def save(self, folder: Path) -> None:
        """Write the model to a new folder, in full precision."""
        ...


@dataclass
class _Progress:
    """The progress of a run; all of it is part of a checkpoint."""

    step: int = 0
    seconds: float = 0.0
    best: float | None = None
    stale: int = 0  # validations since the best score
    validated: int = -1  # the step of the last validation
    sums: dict[str, float] = field(default_factory=dict)  # sums of losses since the last log line


class _Loss(nn.Module, Generic[Batch]):
    """A task's loss as a module, which can be wrapped for several processes and mixed precision."""

    def __init__(self, task: TrainingTask[Batch]) -> None:
        super().__init__()
        self.model = task.model
        self._loss_of = task.loss

    def forward(self, batch: Batch) -> tuple[Tensor, Parts]:
        return self._loss_of(batch)


def fit(task: TrainingTask[Batch], config: EngineConfig, out: Path, about: Mapping[str, Any]) -> None:
    """Train a task in the folder ``out``, or resume the run in it.

    ``about`` is stored in the folder and compared when the run resumes: everything besides ``config`` that determines
    the weights. Raises ``BadInputError`` if the folder is unusable (see ``run_folder.opened``), if the machine lacks
    the precision, if there are too few samples for a step, or if the loss is not finite.
    """
    if config.precision == "fp16" and not torch.cuda.is_available():
        raise BadInputError("precision_missing", precision=config.precision)
    accelerator = Accelerator(
        mixed_precision=config.precision,
        gradient_accumulation_steps=config.accumulate,
        kwargs_handlers=[DistributedDataParallelKwargs(find_unused_parameters=True)],
    )
    if accelerator.is_main_process:
        with opened(out, {**about, "engine": asdict(config)}) as folder:
            _Run(task, config, accelerator, folder).run()
    else:
        _Run(task, config, accelerator, None).run()
    accelerator.wait_for_everyone()
    accelerator.end_training()  # a process that exits with an open process group can crash


class _Run(Generic[Batch]):
    """One start of a run; ``folder`` is ``None`` in all processes except the first."""

    def __init__(
        self, task: TrainingTask[Batch], config: EngineConfig, accelerator: Accelerator, folder: RunFolder | None
    ) -> None:
        self._task, self._config, self._accelerator, self._folder = task, config, accelerator, folder
        self._progress = _Progress()
        self._began, self._from = time.monotonic(), (0, 0.0)
        kind = torch.optim.AdamW if config.optimiser == "adamw" else torch.optim.Adam
        trained = [parameter for parameter in task.model.parameters() if parameter.requires_grad]
        # One pass over the weights instead of eight; a run that was started without it resumes without it.
        fused = True if accelerator.device.type == "cpu" else None
        optimiser = kind(trained, lr=config.rate, weight_decay=config.weight_decay, fused=fused)
        self._loss, self._optimiser = accelerator.prepare(_Loss(task), optimiser)
        self._average = None if config.average is None else MovingAverage(task.model, config.average)
        self._shares = BatchShares(config.accumulate, accelerator.num_processes, accelerator.process_index)
        batches = count_batches(task, config.seed)
        self._per_epoch = batches // self._shares.together
        if not self._per_epoch:
            raise BadInputError("training_too_few", batches=batches, needed=self._shares.together)
        self._steps = min(self._per_epoch * config.epochs, config.steps or self._per_epoch * config.epochs)

    def run(self) -> None:
        progress, config = self._progress, self._config
        self._resume()
        self._began = time.monotonic() - progress.seconds
        self._from = progress.step, progress.seconds
        saved = time.monotonic()
        steps = range(progress.step, self._steps)
        batches = batches_from(self._task, config.seed, self._shares, steps, config.ahead)
        while not self._over():
            self._step(batches)
            if progress.step % config.log_every == 0:
                self._tell()
            if progress.step % (config.validate_every or self._per_epoch) == 0:
                self._validate()
            if time.monotonic() - saved >= config.save_minutes * _PER_MINUTE:
                self._save()
                saved = time.monotonic()
        if progress.validated != progress.step:
            self._validate()
        self._save()
        if progress.best is not None:
            self._report("done at step %d: best %s %.4g", progress.step, self._task.metric, progress.best)

    def _resume(self) -> None:
        states = [None if self._folder is None else self._folder.load_checkpoint()]
        state = broadcast_object_list(states)[0]
        if state is not None:
            self._task.model.load_state_dict(state["model"])
            self._optimiser.load_state_dict(state["optimiser"])
            if self._average is not None:
                self._average.model.load_state_dict(state["average"])
            if self._accelerator.scaler is not None:
                self._accelerator.scaler.load_state_dict(state["scaler"])
            for entry in fields(_Progress):
                setattr(self._progress, entry.name, state["progress"][entry.name])
            self._report("resuming from step %d", self._progress.step)
        if self._folder is not None:
            self._folder.cut_log(self._progress.step)

    def _save(self) -> None:
        if self._folder is None:
            return
        scaler = self._accelerator.scaler
        state = {
            "model": self._task.model.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "average": None if self._average is None else self._average.model.state_dict(),
            "scaler": None if scaler is None else scaler.state_dict(),
            "progress": asdict(self._progress),
        }
        progress, task = self._progress, self._task
        self._folder.save_checkpoint(state, progress.step)
        chosen = {"metric": task.metric, "best": progress.best, "higher_is_better": task.higher_is_better}
        self._folder.write_training(progress.seconds, chosen)

    def _over(self) -> bool:
        config, progress, accelerator = self._config, self._progress, self._accelerator
        late = config.minutes is not None and progress.seconds >= config.minutes * _PER_MINUTE
        stale = config.patience is not None and progress.stale >= config.patience
        over = late or stale or progress.step >= self._steps
        # The first process decides: clocks differ, and only it knows the scores.
        is_over = torch.tensor(float(over and accelerator.is_main_process), device=accelerator.device)
        return bool(accelerator.reduce(is_over, "sum").item()) if accelerator.num_processes > 1 else over

    def _step(self, batches: Iterator[Batch]) -> None:
        """Run one optimiser step; raise ``BadInputError`` before a value that is not finite reaches the weights."""
        config, progress = self._config, self._progress
        self._task.model.train()
        rate = config.rate * rate_factor(config, progress.step, self._steps)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        values: dict[str, float] = {}
        norm = 0.0
        for number in range(config.accumulate):
            seed_chance(config.seed, progress.step, number, self._shares.index)
            with self._accelerator.accumulate(self._loss):
                loss, parts = self._loss(on_device(next(batches), self._accelerator.device))
                for name, value in {"loss": loss, **parts}.items():
                    values[name] = values.get(name, 0.0) + float(value.detach()) / config.accumulate
                self._accelerator.backward(loss)
                if self._accelerator.sync_gradients:
                    norm = float(self._accelerator.clip_grad_norm_(self._loss.parameters(), config.clip))
                    # In half precision the scaler skips a step that overflows.
                    if not math.isfinite(values["loss"]) or not (math.isfinite(norm) or self._accelerator.scaler):
                        raise BadInputError("training_diverged", step=progress.step)
                self._optimiser.step()
                self._optimiser.zero_grad()
        progress.step += 1
        progress.seconds = time.monotonic() - self._began
        # A skipped step has no finite norm.
        for name, value in {**values, "gradient": norm if math.isfinite(norm) else 0.0}.items():
            progress.sums[name] = progress.sums.get(name, 0.0) + value
        if self._average is not None:
            self._average.update(self._task.model, progress.step)

    def _tell(self) -> None:
        """Write a log line and a progress message."""
        config, progress = self._config, self._progress
        means = torch.tensor(list(progress.sums.values()), dtype=torch.float64) / config.log_every
        means = self._accelerator.reduce(means.to(self._accelerator.device, torch.float32), "mean").tolist()
        by_name = dict(zip(progress.sums, means, strict=True))
        progress.sums = {}
        rate = config.rate * rate_factor(config, progress.step - 1, self._steps)
        self._write({**by_name, "rate": rate})
        parts = ", ".join(f"{name} {value:.4g}" for name, value in by_name.items())
        self._report("%s: %s, rate %.2g, %s left", self._where(), parts, rate, self._time_left())

    def _validate(self) -> None:
        progress, task, model = self._progress, self._task, self._task.model
        progress.validated = progress.step
        if self._folder is None:
            return
        model.eval()
        with torch.no_grad(), self._average.within(model) if self._average is not None else nullcontext():
            scores = task.validate()
            score = scores[task.metric]
            sign = 1 if task.higher_is_better else -1
            better = progress.best is None or sign * score > sign * progress.best
            if better:
                self._folder.save_best(task.save, scores, progress.step)
        progress.best, progress.stale = (score, 0) if better else (progress.best, progress.stale + 1)
        progress.seconds = time.monotonic() - self._began
        self._write({**scores, "best": better})
        draw_curves(self._folder.log, task.metric, self._folder.path / CURVES)
        summary = ", ".join(f"{name} {value:.4g}" for name, value in scores.items())
        self._report("%s: %s%s", self._where(), summary, " (best)" if better else "")

    def _report(self, message: str, *arguments: object) -> None:
        if self._folder is not None:
            _log.info(message, *arguments)

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._folder is not None:
            step, seconds = self._progress.step, round(self._progress.seconds, 1)
            self._folder.write_line({"step": step, "epoch": step / self._per_epoch, "seconds": seconds, **line})

    def _where(self) -> str:
        step = self._progress.step
        return f"step {step} of {self._steps}, epoch {step / self._per_epoch:.2f}"

    def _time_left(self) -> str:
        config, progress = self._config, self._progress
        step, seconds = self._from
        left = (progress.seconds - seconds) / (progress.step - step) * (self._steps - progress.step)
        if config.minutes is not None:
            left = min(left, config.minutes * _PER_MINUTE - progress.seconds)
        hours, minutes = divmod(max(math.ceil(left / _PER_MINUTE), 0), 60)
        return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def rate_factor(config: EngineConfig, step: int, steps: int) -> float:
    """Return the factor of the learning rate at a step, counted from 0: warm-up, then the schedule."""
    if step < config.warmup:
        return (step + 1) / config.warmup
    if config.schedule == "constant":
        return 1.0
    return 0.5 * (1 + math.cos(math.pi * (step - config.warmup) / max(steps - config.warmup, 1)))


def on_device(batch: Any, device: torch.device) -> Any:  # noqa: ANN401  any task's batch
    """Move all tensors of the batch to a device, including those in data classes."""
    if is_dataclass(batch) and not isinstance(batch, type):
        changed = {entry.name: on_device(getattr(batch, entry.name), device) for entry in fields(batch)}
        return replace(batch, **changed)
    return send_to_device(batch, device)


_SHORT = 10  # the warm-up of the decay: (1 + step) / (10 + step)


class MovingAverage:
    """An exponential moving average of weights and running statistics; a step weighs ``decay`` times the next one.

    The decay is smaller in the first steps, so that the initial weights are soon forgotten.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.model = copy.deepcopy(model).requires_grad_(requires_grad=False)
        self._decay = decay

    @torch.no_grad()
    def update(self, model: nn.Module, step: int) -> None:
        """Add the weights after a step to the average."""
        weight = 1 - min(self._decay, (1 + step) / (_SHORT + step))
        weights = model.state_dict()
        for name, value in self.model.state_dict().items():
            if value.is_floating_point():
                value.lerp_(weights[name].to(value.dtype), weight)
            else:
                value.copy_(weights[name])

    @contextmanager
    def within(self, model: nn.Module) -> Iterator[None]:
        """Give a model the averaged weights within the context."""
        weights = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(self.model.state_dict())
        try:
            yield
        finally:
            model.load_state_dict(weights)


Line = Mapping[str, Any]

_ABOUT = frozenset({"step", "epoch", "seconds", "best"})  # keys of every line that are not plotted
_SHOWN = 6  # maximum number of curves per panel


def draw_curves(log: Sequence[Line], metric: str, path: Path) -> None:
    """Plot losses and learning rate above, scores below, over steps; do nothing if the log is empty.

    ``log`` are the lines of ``log.jsonl`` in order; ``metric`` is the score that selects the best weights.
    """
    training = [line for line in log if "best" not in line]
    validation = [line for line in log if "best" in line]
    if not log:
        return
    figure = Figure(figsize=(8, 6.4), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    _draw(above, training, _names(training, first="loss", without={"rate", "gradient"}))
    above.set_ylabel("loss in training")
    _draw(below, validation, _names(validation, first=metric))
    for line in validation[::-1]:
        if line["best"]:
            below.axvline(line["step"], color="#888888", linewidth=0.8)
            below.set_title(f"best {metric} {line[metric]:.4g} at step {line['step']}", fontsize=10)
            break
    below.set(xlabel="step", ylabel="score in validation")
    replace_file(path, lambda new: figure.savefig(new, format="png", dpi=110, metadata={"Software": None}))


def _names(lines: Sequence[Line], first: str, without: frozenset[str] | set[str] = frozenset()) -> list[str]:
    """Return the names of the values to plot, the most important first."""
    names = dict.fromkeys([first] if lines else [])
    names.update(dict.fromkeys(key for line in lines for key in line if key not in _ABOUT | without))
    return list(names)[:_SHOWN]


def _draw(axes: Axes, lines: Sequence[Line], names: Sequence[str]) -> None:
    for name in names:
        points = [(line["step"], line[name]) for line in lines if name in line]
        axes.plot(*zip(*points, strict=True), label=name, linewidth=1.6 if name == names[0] else 1.0, marker=".")
    axes.spines[["top", "right"]].set_visible(False)
    if names:
        axes.legend(frameon=False, fontsize=8)

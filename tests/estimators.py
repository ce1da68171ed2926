"""A tiny untrained estimator: its answers mean nothing, but everything about them works as with a trained one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import torch

from fmp_models.hub.models import save_model
from fmp_models.networks.backbone import BackboneConfig
from fmp_models.networks.pose_network import PoseNetwork, PoseNetworkConfig

SMALL = PoseNetworkConfig(BackboneConfig("narrow18", width=8), side=64, head=16, depths=8)


def pose_network(config: PoseNetworkConfig = SMALL) -> PoseNetwork:
    """Return the same weights every time."""
    torch.manual_seed(0)
    network = PoseNetwork(config).eval()
    # As they begin all heat maps are flat and every picture looks the same.
    torch.nn.init.normal_(network.heat.weight, std=1)
    torch.nn.init.normal_(network.whole.weight, std=0.1)
    return network


def save_estimator(folder: Path) -> None:
    """Write it as a bundled one lies."""
    save_model(folder, "estimator", asdict(SMALL), pose_network(), {}, "# Untrained\n")

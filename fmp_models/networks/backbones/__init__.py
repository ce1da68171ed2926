"""Backbones, picture -> positions: ResNet, EfficientNet-Lite with ImageNet weights, or one to bundle."""

"""Backbones, which turn a picture into feature vectors: ResNet, EfficientNet-Lite or a narrow ResNet-18."""

"""Pictures as positions: ResNet, EfficientNet-Lite with ImageNet weights, or one small enough to bundle."""

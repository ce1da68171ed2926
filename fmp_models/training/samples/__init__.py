"""Training samples: pictures, features, joints, and their augmentation."""

"""Samples, what training shows a network: pictures, features, joints, and their variations."""

"""The released FixMyPose files, read into the one schema."""

"""Import of the released FixMyPose files into the common schema."""

"""Networks of our own pose estimators: the pose network and the lifting network."""

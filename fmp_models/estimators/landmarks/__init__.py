"""MediaPipe's landmarks: the native models that see them, the joints that they are mixtures of, and their depth."""

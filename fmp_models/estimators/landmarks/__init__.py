"""MediaPipe's landmarks: the native models that detect them, their mixtures to joints, and their depth."""

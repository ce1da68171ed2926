"""The paper's networks, captioner and retriever, and those of our pose estimators; each with its configuration."""

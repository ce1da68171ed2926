"""The paper's networks: backbones, attention, captioner and retriever."""

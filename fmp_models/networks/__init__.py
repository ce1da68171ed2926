"""The paper's networks: backbone, attention, captioner, retriever."""

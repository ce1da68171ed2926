"""The live coach before the network: seats for few visitors at once, their frames, and what is told of each."""

"""The live coach before the network: seats for few visitors at once, their frames, and the advice on each."""

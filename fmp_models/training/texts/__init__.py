"""Training texts: generated descriptions, recombined pairs, human texts for simulated changes, and encoding."""

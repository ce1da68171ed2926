"""The texts that training shows a network: told again, recombined, in people's words, and as numbers."""

"""The paper's own scores of corrections: objects, body parts, directions."""

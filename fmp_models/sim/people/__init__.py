"""The characters: bodies, clothes, skin and hair, and posing."""

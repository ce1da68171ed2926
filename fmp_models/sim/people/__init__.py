"""The characters: bodies, clothes, skin and hair, and how a pose bends them."""

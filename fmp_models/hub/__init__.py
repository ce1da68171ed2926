"""Models, datasets and Spaces on the Hub: load a model by name, folder or id, save a model, push a folder."""

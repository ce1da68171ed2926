"""The Hub's view of the project: cards of models and datasets, the Space's front page; rendered and pushed."""

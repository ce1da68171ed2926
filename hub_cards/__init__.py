"""Cards of models and datasets and the README of the Space, rendered and pushed to the Hub."""

"""How good a trained model is: every score of the paper on the splits it was not trained on, and the paper's tables."""

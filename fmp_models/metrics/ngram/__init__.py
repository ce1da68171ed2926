"""Metrics that compare words: BLEU, CIDEr, ROUGE-L and METEOR."""

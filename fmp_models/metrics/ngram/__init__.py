"""Scores that count words: BLEU, CIDEr, ROUGE-L, METEOR."""

"""Statistics of the answers: votes, model strengths, agreement and annotator quality, as numbers, tables and plots."""

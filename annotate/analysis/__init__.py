"""Statistics of the answers: votes, strengths, agreement, doubtful annotators; as numbers, tables and plots."""

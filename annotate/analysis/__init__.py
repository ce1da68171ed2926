"""What the answers say: votes, strengths, agreement, doubtful annotators; as numbers, tables and plots."""

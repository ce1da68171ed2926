"""What is asked: campaigns, the datasets they are made from, their questions, and what became of texts."""

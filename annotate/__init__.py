"""What people give, kept for good: votes, ratings, descriptions, translations, choices and photographs of their own."""

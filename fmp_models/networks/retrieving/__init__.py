"""The retrievers: the paper's, and one space of texts and changes."""

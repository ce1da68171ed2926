"""The retrievers: the paper's, and a joint embedding space of texts and pose changes."""

"""From a description and candidates to the photograph that is meant, and the reasons."""

"""Views, answers as markup and figures: corrections, rankings, where they came from and where a model looked."""

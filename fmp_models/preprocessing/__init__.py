"""Preprocessing: from an uploaded file to the input of networks and estimators."""

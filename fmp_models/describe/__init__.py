"""Joints of two poses -> plan -> text, and text -> plan -> verdict: the geometry model and the judge of all others."""

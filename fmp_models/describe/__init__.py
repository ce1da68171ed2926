"""Geometry model: joints of two poses -> plan -> text, and text -> plan -> verdict on the text of any model."""

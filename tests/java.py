"""Tests that need Java and the jars of pycocoevalcap skip by name where they are missing."""

from __future__ import annotations

import pytest

from fmp_models.metrics.java import java_missing

needs_java = pytest.mark.skipif(java_missing() is not None, reason=f"Java: {java_missing()}")

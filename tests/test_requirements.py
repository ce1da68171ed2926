from __future__ import annotations

from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]


def test_no_version_of_requests_that_sends_passwords_elsewhere_is_admitted() -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    (requests,) = [Requirement(line) for line in lines if line.startswith("requests")]

    assert "2.32.3" not in requests.specifier  # CVE-2024-47081
    assert "2.32.4" in requests.specifier

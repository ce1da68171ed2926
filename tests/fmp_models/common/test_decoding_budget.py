from __future__ import annotations

import time

import pytest

from fmp_models.common.decoding_budget import DecodingBudget
from fmp_models.common.limits import MAX_CANDIDATES
from fmp_models.common.refusals import PhotographError
from fmp_models.errors import BadInputError
from fmp_models.inference import corrector
from fmp_models.inference.retrieval import target_finder
from fmp_models.inference.retrieval.retriever_registry import Retrievers
from fmp_models.inference.retrieval.target_finder import TargetFinder
from fmp_models.preprocessing import Photograph, read_photograph
from tests.hostile_uploads import jpeg_with_scans
from tests.retrievers import TEXTS, ColourEstimator, picture, save_retriever
from tests.thoroughness import thorough

SOUND, OTHER = picture(90, 60, 30), picture(200, 30, 40)


@pytest.fixture(scope="module")
def scans() -> bytes:
    """Return a JPEG of a hundred kilobytes whose sixteen megapixels are decoded in sixty passes."""
    return jpeg_with_scans(53)


@pytest.fixture(scope="module")
def finder(tmp_path_factory: pytest.TempPathFactory) -> TargetFinder:
    folder = save_retriever(tmp_path_factory.mktemp("finder") / "tiny", "en")
    return TargetFinder(ColourEstimator(), Retrievers(str(folder)))


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Every file that is decoded from now on, in that order."""
    files_read: list[bytes] = []

    def read(data: bytes, budget: DecodingBudget | None = None) -> Photograph:
        files_read.append(data)
        return read_photograph(data, budget)

    for module in (corrector, target_finder):
        monkeypatch.setattr(module, "read_photograph", read)
    return files_read


def test_pixels_are_counted_once_for_each_scan_of_a_jpeg_and_refused_before_they_are_decoded(scans: bytes) -> None:
    budget = DecodingBudget(pixels=16_000_000 * 100)
    read_photograph(scans, budget)

    begun = time.thread_time()
    with pytest.raises(BadInputError) as refused:
        read_photograph(scans, budget)

    assert refused.value.code == "photo_too_slow"
    assert time.thread_time() - begun < 0.1


def test_many_plain_photographs_are_within_the_budget() -> None:
    budget = DecodingBudget()
    for _ in range(MAX_CANDIDATES + 1):
        with budget.decoding(12_000_000, "JPEG", 10):
            pass


def test_the_time_of_the_processor_is_counted() -> None:
    budget = DecodingBudget(seconds=0.05)
    with budget.decoding(1, "PNG", 1):
        begun = time.thread_time()
        while time.thread_time() - begun < 0.06:
            pass

    with pytest.raises(PhotographError), budget.decoding(1, "PNG", 1):
        raise AssertionError


@thorough
def test_twenty_different_pictures_of_many_scans_are_refused_after_a_few(
    scans: bytes, decoded: list[bytes], finder: TargetFinder
) -> None:
    hostile = [scans[:-2] + bytes([0xFF, 0xFE, 0, 3, number]) + scans[-2:] for number in range(MAX_CANDIDATES)]

    with pytest.raises(BadInputError) as refused:
        finder.find(SOUND, TEXTS["en"], hostile)

    assert refused.value.code == "photo_too_slow"
    assert refused.value.details["which"] == "candidate"
    assert len(decoded) < 8


def test_the_current_photograph_is_checked_before_any_other(decoded: list[bytes], finder: TargetFinder) -> None:
    with pytest.raises(BadInputError) as refused:
        finder.find(b"no picture", TEXTS["en"], [SOUND] * MAX_CANDIDATES)

    assert refused.value.details["which"] == "current"
    assert decoded == [b"no picture"]


def test_a_file_that_is_given_often_is_decoded_once(decoded: list[bytes], finder: TargetFinder) -> None:
    finder.find(SOUND, TEXTS["en"], [bytes(bytearray(one)) for one in [OTHER, SOUND] * (MAX_CANDIDATES // 2)])

    assert decoded == [SOUND, OTHER]

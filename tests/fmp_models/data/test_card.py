"""The card of a dataset and its plots."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import datasets
import numpy as np
import pytest
from PIL import Image

from fmp_models.data import card as card_module
from fmp_models.data.card import write_official_card, write_simulated_card
from fmp_models.data.features import Joints, Shot, captioning_row, retrieval_row, wide_row
from fmp_models.data.folder import ShardWriter
from fmp_models.data.pairs import PictureName, Uid
from fmp_models.data.statistics import Statistics
from tests.nonempty import nonempty

NOWHERE = [np.zeros((20, 2))] * 2
TEXTS = {
    "en": ["Raise your left arm to the level of the shoulder. Bend the right knee slightly."],
    "hi": ["अपनी बाईं बांह को कंधे की ऊंचाई तक उठाएं। दाहिना घुटना थोड़ा मोड़ें।"],
}


def pose(seed: int) -> Joints:
    return np.random.default_rng(seed).normal((0, 0, 4), 0.2, (20, 3))


def shots(uid: Uid) -> tuple[Shot, Shot]:
    return Shot(PictureName(uid, "current"), None, pose(uid.capture)), Shot(PictureName(uid, "target"), None, pose(99))


def uids(number: int, room: int = 0) -> Iterator[Uid]:
    return (Uid(0, room, capture % 3, capture, 0) for capture in range(number))


def simulate(out: Path) -> None:
    for config, split, number, room in (
        ("captioning", "train", 30, 0),
        ("captioning", "val_unseen", 6, 19),
        ("wide", "train", 12, 0),
    ):
        with ShardWriter(out, config, split) as writer:
            for uid in uids(number, room):
                row = captioning_row(uid, *shots(uid), TEXTS)
                writer.add(wide_row(row, NOWHERE, [(0, 0)] * 2, placed=True) if config == "wide" else row)
    with ShardWriter(out, "retrieval", "train") as writer:
        for uid in uids(3):
            current, target = shots(uid)
            writer.add(retrieval_row(uid, current, [target, current, *[current] * 8], 0, TEXTS))
    (out / "sheets").mkdir()
    Image.new("RGB", (8, 8)).save(out / "sheets" / "random_pairs.jpg")
    write_simulated_card(out, pairs=36, seed=7, flaws={"body_through_furniture": 1204})


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    out = tmp_path_factory.mktemp("card")
    simulate(out)
    return out, (out / "README.md").read_text("utf-8")


def test_the_folder_loads_by_its_card(card: tuple[Path, str]) -> None:
    out, _ = card
    assert datasets.get_dataset_config_names(str(out)) == ["captioning", "wide", "retrieval"]
    loaded = datasets.load_dataset(str(out), "captioning", streaming=True)
    assert sum(1 for _ in loaded["val_unseen"]) == 6


def test_the_card_says_how_to_make_the_same_data_again(card: tuple[Path, str]) -> None:
    assert "python -m fmp_models simulate OUT --pairs 36 --seed 7" in card[1]
    assert "1,204 body through furniture" in card[1]


def test_measured_numbers_stand_beside_the_papers(card: tuple[Path, str]) -> None:
    moved = [np.linalg.norm(pose(99) - pose(n), axis=-1).mean() for n in [*range(30), *range(6)]]
    (line,) = [line for line in card[1].splitlines() if line.startswith("| joint distance of a pair, mean")]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[1] == f"{np.mean(moved):.2f}"
    assert cells[-1] == "0.24"
    assert "| `captioning` | `val_unseen` | 6 | 6 | 6 | 563 | 1,689 |" in card[1]
    assert "| `wide` | `train` | 12 | 12 | 12 | – | – |" in card[1]
    assert "15.00 ± 0.00 (15–15)" in card[1]
    assert "| egocentric relation | 100.0 % | 100.0 % | 100.0 % | 100 % |" in card[1]
    assert "| analogous reference | 0.0 % | 0.0 % | 0.0 % | 18 % |" in card[1]


def test_every_picture_that_the_card_shows_is_there(card: tuple[Path, str]) -> None:
    out, text = card
    shown = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert {"plots/joint_distances.png", "plots/balance.png", "plots/common_words_en.png"} <= set(shown)
    assert "sheets/random_pairs.jpg" in shown
    assert all(Image.open(out / path).size > (0, 0) for path in shown)
    assert {f"plots/{path.name}" for path in (out / "plots").iterdir()} <= set(shown)


def test_a_card_of_retrieval_alone_shows_code_that_loads_it(tmp_path: Path) -> None:
    with ShardWriter(tmp_path, "retrieval", "val_unseen") as writer:
        for uid in uids(2):
            current, target = shots(uid)
            writer.add(retrieval_row(uid, current, [target, current, *[current] * 8], 0, TEXTS))
    write_official_card(tmp_path, [])
    text = (tmp_path / "README.md").read_text("utf-8")
    assert 'load_dataset(OUT, "retrieval", split="val_unseen", streaming=True)' in text
    assert '"captioning"' not in text
    assert "license: other" in text  # the pictures of the release are not ours to license


def test_a_card_names_the_recordings_and_how_to_use_them_again(tmp_path: Path) -> None:
    with ShardWriter(tmp_path, "captioning", "train") as writer:
        for uid in uids(2):
            writer.add(captioning_row(uid, *shots(uid), TEXTS))
    write_simulated_card(tmp_path, 2, 0, {}, ["dance.bvh"])
    text = (tmp_path / "README.md").read_text("utf-8")
    assert "simulate OUT --pairs 2 --seed 0 --bvh dance.bvh" in text
    assert "licence" in text


def test_nothing_of_the_template_is_left_open(card: tuple[Path, str]) -> None:
    assert "$" not in card[1]


def test_without_a_devanagari_font_the_hindi_plot_is_left_out_and_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_module.font_manager, "get_font_names", lambda: ["DejaVu Sans"])
    simulate(tmp_path)
    text = (tmp_path / "README.md").read_text("utf-8")
    assert not (tmp_path / "plots/common_words_hi.png").exists()
    assert "common_words_hi" not in text
    assert "no Devanagari font was installed" in text


def test_the_same_data_make_the_same_card_and_plots(card: tuple[Path, str], tmp_path: Path) -> None:
    simulate(tmp_path)
    for path in nonempty(path for path in card[0].rglob("*") if path.is_file()):
        assert path.read_bytes() == (tmp_path / path.relative_to(card[0])).read_bytes()


def of_numbers(count: int) -> Statistics:
    """Pairs of so many characters, rooms and animations, and nothing else known."""
    numbers = Counter(range(count))
    return Statistics(count, np.zeros((0, 3)), {}, numbers, numbers, numbers)


def test_a_word_of_a_million_letters_is_shown_by_its_beginning() -> None:
    figure = card_module._common_words([("x" * 1_000_000, 2), ("knee", 1)], "en")
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [f"{'x' * 29}…", "knee"]


def test_dollars_in_a_word_are_no_formula() -> None:
    figure = card_module._common_words([("a$^$b", 1)], "en")
    figure.savefig(io.BytesIO())
    assert figure.axes[0].get_yticklabels()[0].get_text() == "a$^$b"


def test_the_balance_of_thousands_of_rooms_shows_the_first_and_says_so() -> None:
    figure = card_module._balance_plot({"train": of_numbers(3_000), "val_seen": of_numbers(20)})
    assert [len(axes.patches) for axes in figure.axes] == [200, 200, 200]
    assert figure.axes[1].get_xlabel() == "room, the first 100 of 3,000"


def test_the_balance_of_a_release_shows_all() -> None:
    figure = card_module._balance_plot({"train": of_numbers(25)})
    assert [len(axes.patches) for axes in figure.axes] == [25, 25, 25]
    assert figure.axes[1].get_xlabel() == "room"

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from annotate.__main__ import main
from annotate.campaigns.builder import CampaignOrder, Source, make_campaign, read_texts
from annotate.campaigns.campaign import READY_CAMPAIGNS, WRITTEN, Campaign
from annotate.errors import RefusedError
from annotate.kinds.task_kind import QuestionView
from annotate.kinds.vote import VOTE
from fmp_models.data.folder import read_rows
from fmp_models.languages import mirrored_text
from tests.nonempty import nonempty

ROOT = Path(__file__).resolve().parents[3]
DATASET = ROOT / "fmp_models" / "data" / "sample"
SPLITS = ("val_seen", "val_unseen", "test_unseen")
TEXTS = READY_CAMPAIGNS / "texts"
SOURCES = tuple(
    Source(name, language, TEXTS / f"{name}_{language}.json")
    for name in ("captioner", "geometry")
    for language in ("en", "hi")
)


REAL_PAIRS = 2  # of the four in test_unseen, the others are gold ones


def order(**changes: object) -> CampaignOrder:
    plain = {"dataset": DATASET, "name": "made", "splits": SPLITS, "items": 8, "sources": SOURCES, "retrieval_items": 1}
    return CampaignOrder(**{**plain, **changes})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return make_campaign(order(), tmp_path_factory.mktemp("campaigns") / "made")


def refusal(order: CampaignOrder, out: Path) -> RefusedError:
    with pytest.raises(RefusedError) as refused:
        make_campaign(order, out)
    assert refused.value.sentence.count("\n") == 0
    assert not list(out.parent.glob(".*part"))
    return refused.value


def test_every_item_has_a_text_of_each_model_and_a_reference(made: Campaign) -> None:
    for kind, sources, pairs in (
        ("vote", ["captioner", "geometry"], 8),
        ("verify", ["reference"], 8),
        ("real_pair", ["reference"] * 3, REAL_PAIRS),
    ):
        for language in ("en", "hi"):
            texts = [item.texts_for(kind, language) for item in made.items if item.gold is None]
            assert [[text.source for text in of_item] for of_item in texts if of_item] == [sources] * pairs
    assert len(made.questions("write", "en")) == 10  # gold pairs are described, too


def kinds_by_pair(campaign: Campaign) -> dict[str, set[str]]:
    """Give the kinds in which each pair is met, by the picture of its target, gold questions among them."""
    met: dict[str, set[str]] = {}
    for kind in campaign.kinds:
        for language in campaign.languages:
            for question in (*campaign.questions(kind, language), *campaign.gold_questions(kind, language)):
                met.setdefault(question.item.target, set()).add(kind)
    return met


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"items": 9, "seed": 3},
        {"kinds": ("write", "vote")},
        {"kinds": ("vote", "find")},
        {"kinds": ("write", "verify", "real_pair"), "seed": 5},
        {"kinds": ("verify", "vote")},
        {"kinds": ("verify", "vote", "repair", "compare")},
    ],
    ids=range(7),
)
def test_a_pair_met_in_one_kind_alone_is_no_likelier_a_gold_one_than_any(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    campaign = make_campaign(order(**changes), tmp_path / "out")
    met, shares = kinds_by_pair(campaign), {}

    for kind in ("vote", "verify"):
        golden = {question.item.target for question in campaign.gold_questions(kind, "en")}
        of_kind = {target for target, kinds in met.items() if kind in kinds}
        alone = {target for target in of_kind if met[target] == {kind}}
        shares[kind] = len(golden & alone) / max(1, len(alone)), len(golden) / max(1, len(of_kind))

    assert any(share for _, share in shares.values())
    assert [kind for kind, (alone, share) in shares.items() if alone > share] == []


def test_as_many_plain_pairs_as_gold_ones_and_more_are_met_in_the_same_kinds(made: Campaign) -> None:
    met = kinds_by_pair(made)
    golden = {question.item.target for question in made.gold_questions("vote", "en")}
    alike = {target for target, kinds in met.items() if kinds >= {"vote", "verify", "write"}}

    assert len(golden) == 2
    assert golden < alike
    assert len(alike - golden) >= 2


def test_no_text_shown_elsewhere_tells_which_text_of_a_gold_question_is_right(made: Campaign) -> None:
    """Compared are the texts of all kinds about one pair, in one language."""
    told = []
    for language in made.languages:
        for gold in made.gold_questions("vote", language):
            elsewhere = [
                text.text
                for item in made.items
                if item.target == gold.item.target and item is not gold.item
                for text in item.texts
                if text.language == language
            ]
            told += [text for text in gold.texts if text.text in elsewhere]
            assert len(elsewhere) == 1  # the wrong one to be verified

    assert told == []


def test_drafts_to_mend_are_texts_of_one_model_or_more_else_of_the_dataset(tmp_path: Path) -> None:
    kinds, one = ("repair", "compare"), [source for source in SOURCES if source.name == "captioner"]
    of_model = make_campaign(order(kinds=kinds, sources=tuple(one)), tmp_path / "one")
    of_dataset = make_campaign(order(kinds=("repair",), sources=()), tmp_path / "none")
    voted = make_campaign(order(kinds=("vote", *kinds), gold=0), tmp_path / "two")

    found = {
        name: {(question.texts[0].source, question.texts[0].kinds) for question in campaign.questions("repair", "hi")}
        for name, campaign in (("model", of_model), ("dataset", of_dataset), ("voted", voted))
    }

    assert found["model"] == {("captioner", ("repair",))}
    assert found["dataset"] == {("reference", ("verify", "translate", "repair"))}
    assert found["voted"] == {(name, ("vote", "repair")) for name in ("captioner", "geometry")}
    assert of_model.kinds == kinds
    assert not {"repair", "compare"} & set(make_campaign(order(), tmp_path / "usual").kinds)


def test_texts_are_the_models_own(made: Campaign) -> None:
    texts_of_file = read_texts(TEXTS / "captioner_hi.json")

    texts = [(item.uid, text) for item in made.items for text in item.texts_for("vote", "hi")]
    for uid, text in nonempty((uid, text) for uid, text in texts if text.source == "captioner"):
        assert text.text == texts_of_file[uid]


def test_gold_items_are_pairs_of_their_own_with_texts_of_others(made: Campaign) -> None:
    judged = [*made.questions("vote", "en"), *made.questions("verify", "en")]
    pictures_asked_about = {question.item.current for question in judged}
    (votes, ratings) = (made.gold_questions(kind, "en") for kind in ("vote", "verify"))

    assert [question.item.current for question in votes] == [question.item.current for question in ratings]
    for vote, rating in zip(votes, ratings, strict=True):
        right, wrong = vote.texts
        assert vote.item.current not in pictures_asked_about
        assert vote.item.gold is not None
        assert vote.item.gold.relevant == (right.id,)
        assert right.text not in {wrong.text, rating.texts[0].text}


def test_the_test_shows_a_pair_that_nothing_else_is_asked_about(made: Campaign) -> None:
    assert made.qualification is not None
    shown = [question for question in made.qualification.questions if question.current]

    assert [(question.id, question.language) for question in shown] == [("which-text", "en"), ("which-text", "hi")]
    assert {question.current for question in shown}.isdisjoint({item.current for item in made.items})
    assert made.qualification.pass_mark == 3


@pytest.mark.parametrize("seed", range(6))
def test_no_pair_of_the_test_or_of_a_gold_item_is_to_find(tmp_path: Path, seed: int) -> None:
    """One pair of this split is in both configurations."""
    train = {"splits": ("train",), "retrieval_splits": ("train",), "items": 1, "sources": ()}
    campaign = make_campaign(order(**train, seed=seed), tmp_path / "out")

    to_find = {item.uid for item in campaign.items if item.candidates}
    golden = {item.uid.rpartition(".")[0] for item in campaign.items if item.gold}
    assert campaign.qualification is not None
    tested = {question.target for question in campaign.qualification.questions if question.target}
    assert golden
    assert tested
    assert to_find.isdisjoint(golden)
    assert tested.isdisjoint({item.target for item in campaign.items})


@pytest.mark.parametrize("options", [(), ("--reveal-models",)])
def test_models_are_named_in_the_end_only_where_that_is_asked_for(tmp_path: Path, options: tuple[str, ...]) -> None:
    new = ["campaign", "new", tmp_path / "mine", "--dataset", DATASET, "--items=2", "--retrieval-items=1"]

    assert run(*new, *options) == 0

    assert Campaign.open(tmp_path / "mine").reveals_models is bool(options)


def test_guidelines_of_ones_own_come_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[[vote]]\nen = "Mind the feet."\nhi = "पैरों पर ध्यान दें।"\n[[vote]]\nen = "Slowly."\n', "utf-8")
    new = ["campaign", "new", tmp_path / "mine", "--dataset", DATASET, "--items=2", "--retrieval-items=1"]

    assert run(*new, f"--guidelines={own}") == 0

    guideline = ({"en": "Mind the feet.", "hi": "पैरों पर ध्यान दें।"}, {"en": "Slowly."})
    assert Campaign.open(tmp_path / "mine").guidelines == {"vote": guideline}
    assert "guidelines" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "guidelines_file",
    [
        None,
        b"\xff",
        b"vote",
        b"vote = 1",
        b"[[sing]]\nen = 'x'",
        b"[[vote]]",
        b"[[vote]]\nen = 2020-01-01",
        b"vote = " + b"[" * 50_000 + b"]" * 50_000,
        b"vote = " + b"{a = " * 50_000,
        b"[" + b".".join([b"vote"] * 5_000) + b"]\nen = 'x'",
        b"[[vote]]\nen = 'x'\nhi = 'x'\n" + b"#" * 1_000_000,
    ],
    ids=range(11),
)
def test_guidelines_that_are_none_are_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], guidelines_file: bytes | None
) -> None:
    if guidelines_file is not None:
        (tmp_path / "own.toml").write_bytes(guidelines_file)

    assert run("campaign", "new", tmp_path / "mine", "--dataset", DATASET, f"--guidelines={tmp_path / 'own.toml'}") == 2

    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "mine").exists()


def test_who_makes_a_campaign_is_told_how_many_people_finding_takes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run("campaign", "new", "--help")

    assert "three people for one language" in " ".join(capsys.readouterr().out.split())


def test_the_target_is_among_the_candidates(made: Campaign) -> None:
    (item,) = [item for item in made.items if item.candidates]

    assert len(item.candidates) == 10
    assert item.answer is not None
    assert item.candidates[item.answer] == item.target
    assert len(made.questions("find", "hi")) == 3


def test_no_text_of_a_campaign_passes_for_an_annotators(made: Campaign) -> None:
    assert WRITTEN not in {text.source for item in made.items for text in item.texts}


def test_the_same_order_makes_the_same_campaign_and_another_seed_another(tmp_path: Path, made: Campaign) -> None:
    again = make_campaign(order(), tmp_path / "made")
    other = make_campaign(order(seed=1), tmp_path / "other")

    assert again.model_dump() == made.model_dump()
    assert [item.uid for item in other.items] != [item.uid for item in made.items]


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept", encoding="utf-8")

    assert refusal(order(), tmp_path).code == "campaign_there"
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_more_pairs_than_there_are_cannot_be_asked_about(tmp_path: Path) -> None:
    error = refusal(order(items=100), tmp_path / "out")

    assert (error.code, error.details["found"]) == ("dataset_too_small", 12)


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (
            [],
            [
                "4 pairs in val_seen, not 100",
                "2 pairs in test_unseen, not 50",
                "--items to 4 and --retrieval-items to 2",
            ],
        ),
        (["--items=3"], ["2 pairs in test_unseen, not 50", "please lower --retrieval-items to 2"]),
        (["--items=5", "--retrieval-items=0"], ["4 pairs in val_seen, not 5", "please lower --items to 4"]),
        (["--kinds=find", "--retrieval-items=9"], ["2 pairs in test_unseen, not 9", "--retrieval-items to 2"]),
    ],
    ids=range(4),
)
def test_too_few_pairs_are_counted_and_the_option_to_lower_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], parts: list[str]
) -> None:
    new = ["campaign", "new", tmp_path / "mine", "--dataset", DATASET]
    assert run(*new, *options) == 2

    refusal = capsys.readouterr().err
    assert refusal.count("\n") == 1
    assert [part for part in parts if part not in refusal] == []
    # What is said helps.
    lowered = [f"{option}={count}" for option, count in re.findall(r"(--[a-z-]+) to (\d+)", refusal)]
    assert run(*new, *options, *lowered) == 0


@pytest.mark.parametrize(
    ("texts", "silent"),
    [
        ([], []),
        (["geometry_en"], []),
        (["geometry_en", "geometry_hi"], []),
        (["geometry_en", "captioner_en"], ["en"]),
        (["geometry_en", "captioner_en", "geometry_hi", "captioner_hi"], ["en", "hi"]),
    ],
    ids=range(5),
)
def test_it_is_said_aloud_that_nobody_will_vote_without_texts_of_two_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], texts: list[str], silent: list[str]
) -> None:
    splits = [f"--split={split}" for split in SPLITS]
    given = [f"--texts={name.partition('_')[0]}={TEXTS / name}.json" for name in texts]
    new = ["campaign", "new", tmp_path / "mine", "--dataset", DATASET, *splits, "--items=2", "--retrieval-items=1"]
    assert run(*new, *given) == 0

    output = capsys.readouterr()
    for language in ("en", "hi"):
        assert (f"there will be no votes in “{language}”" in output.err) is (language not in silent)
        assert (f"vote {language}:" in output.out) is (language in silent)


def test_nothing_is_said_of_votes_that_were_not_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = ["campaign", "new", tmp_path / "mine", "--dataset", DATASET, "--items=2", "--kinds=write"]
    assert run(*new) == 0
    assert capsys.readouterr().err == ""


def test_a_models_texts_may_be_the_folder_they_were_written_into(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    new = ["campaign", "new", tmp_path / "mine", "--dataset", DATASET, "--items=2", "--retrieval-items=1"]
    new += [
        f"--texts=geometry={folder}",
        *(f"--texts=captioner={TEXTS}/captioner_{code}.json" for code in ("en", "hi")),
    ]
    assert run(*new) == 2
    assert "has no texts" in capsys.readouterr().err

    for language in ("en", "hi"):
        shutil.copy(TEXTS / f"geometry_{language}.json", folder / f"predictions_val_seen_{language}.json")
    assert run(*new) == 0
    assert Campaign.open(tmp_path / "mine").models_compared() == {"captioner", "geometry"}
    assert "vote hi:" in capsys.readouterr().out


def test_where_none_are_to_spare_there_are_no_gold_items(tmp_path: Path) -> None:
    campaign = make_campaign(order(items=12), tmp_path / "out")

    assert not any(item.gold for item in campaign.items)


def test_a_model_that_lacks_a_pair_is_named(tmp_path: Path) -> None:
    texts = tmp_path / "short_en.json"
    texts.write_text(json.dumps({"6_0_0_3_0": "Raise it."}), encoding="utf-8")

    error = refusal(order(sources=(*SOURCES, Source("short", "en", texts))), tmp_path / "out")

    assert (error.code, error.details["source"]) == ("texts_lacking", "short")


@pytest.mark.parametrize(
    "texts_file",
    [b"", b"[]", b"{}", b"{", b'{"a": 1}', b'{"a": " "}', b"\xff", b"[" * 100_000, b'{"a": "' + b"x" * 5000 + b'"}'],
)
def test_texts_that_are_none_are_refused(tmp_path: Path, texts_file: bytes) -> None:
    (tmp_path / "texts.json").write_bytes(texts_file)

    with pytest.raises(RefusedError) as refused:
        read_texts(tmp_path / "texts.json")
    assert refused.value.code == "texts_unusable"
    assert refused.value.sentence.count("\n") == 0


def test_at_most_sixty_pairs_of_the_last_split_are_re_enacted_with_all_their_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = ["campaign", "new", tmp_path / "mine", "--dataset", DATASET, "--items=2", "--retrieval-items=0"]
    assert run(*new) == 0

    assert "Pairs to re-enact: 4 in test_unseen, not 60; --real-split names others." in capsys.readouterr().err
    questions = Campaign.open(tmp_path / "mine").questions("real_pair", "hi")
    rows = {row["uid"]: row for row in pq.read_table(next((DATASET / "captioning").glob("test_*"))).to_pylist()}
    assert [question.item.split for question in questions] == ["test_unseen"] * 4
    for question in nonempty(questions):
        (text,) = question.texts
        assert text.text.split("\n\n") == rows[question.item.uid]["descriptions_hi"]


def test_without_pairs_to_re_enact_nobody_is_asked_and_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(DATASET, tmp_path / "data")
    (tmp_path / "data/captioning/test_unseen-00000-of-00001.parquet").unlink()
    new = ["campaign", "new", tmp_path / "mine", "--dataset", tmp_path / "data", "--items=2", "--retrieval-items=0"]
    assert run(*new, "--kinds=real_pair") == 2
    assert "real_pair with --real-items 60 and --real-split" in capsys.readouterr().err

    assert run(*new) == 0
    assert "Pairs to re-enact: 0 in test_unseen, not 60" in capsys.readouterr().err
    assert "real_pair" not in Campaign.open(tmp_path / "mine").kinds

    new[2] = tmp_path / "other"
    assert run(*new, "--kinds=real_pair", "--real-split=val_seen", "--real-items=3") == 0
    assert capsys.readouterr().err == ""
    made = Campaign.open(tmp_path / "other")
    assert [item.split for item in made.items] == ["val_seen"] * 3
    assert len(made.questions("real_pair", "en")) == 3


def test_the_id_of_a_text_to_vote_on_tells_nothing_of_its_model(tmp_path: Path) -> None:
    same = tmp_path / "same_en.json"
    same.write_text(json.dumps(read_texts(TEXTS / "geometry_en.json")), encoding="utf-8")
    campaign = make_campaign(order(sources=(*SOURCES, Source("same", "en", same))), tmp_path / "made")

    texts = [text for item in campaign.items if item.gold is None for text in item.texts_for("vote", "en")]
    assert {text.source for text in texts} == {"captioner", "geometry", "same"}
    assert not {text.source for text in texts} & {text.id for text in texts}
    names = {(text.text, text.id.partition("-")[0]) for text in texts}
    assert len(names) == len({text.text for text in texts})


def test_a_vote_needs_texts_of_two_models(tmp_path: Path) -> None:
    assert refusal(order(kinds=("vote",), sources=SOURCES[:2]), tmp_path / "out").code == "option_malformed"
    assert "vote" not in make_campaign(order(sources=SOURCES[:2]), tmp_path / "out").kinds


@pytest.mark.parametrize("spoil", ["missing", "empty", "garbage", "cut", "without_column", "picture"])
def test_a_damaged_dataset_is_refused_and_leaves_nothing(tmp_path: Path, spoil: str) -> None:
    dataset = tmp_path / "dataset"
    shutil.copytree(DATASET, dataset)
    (file,) = (dataset / "captioning").glob("val_seen-*")
    table = pq.read_table(file)
    match spoil:
        case "missing":
            file.unlink()
        case "empty":
            file.write_bytes(b"")
        case "garbage":
            file.write_bytes(bytes(1000))
        case "cut":
            file.write_bytes(file.read_bytes()[:-50_000])
        case "without_column":
            pq.write_table(table.drop_columns(["descriptions_hi"]), file)
        case "picture":
            rows = table.to_pylist()
            for row in rows:
                row["current"]["bytes"] = row["current"]["bytes"][:500]
            pq.write_table(table.from_pylist(rows, table.schema), file)

    error = refusal(order(dataset=dataset), tmp_path / "out")

    assert error.code == "dataset_unusable"
    assert not (tmp_path / "out").exists()


def run(*words: object) -> int:
    return main([str(word) for word in words])


def test_the_command_makes_a_campaign_that_check_and_list_tell_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [f"--texts={source.name}={source.path}" for source in SOURCES]
    splits = [f"--split={split}" for split in SPLITS]
    new = [
        "campaign",
        "new",
        tmp_path / "mine",
        "--dataset",
        DATASET,
        *splits,
        *texts,
        "--items=6",
        "--kinds=vote,find",
    ]

    assert (
        main(
            [
                str(word)
                for word in (
                    *new,
                    "--retrieval-items=2",
                    "--voices=5",
                    "--title=en=Mine",
                )
            ]
        )
        == 0
    )
    printed = capsys.readouterr().out
    assert printed.splitlines()[0] == "mine: 10 pairs, Mine"
    assert "  vote en: 6 questions, 30 answers wanted, 2 gold" in printed

    assert (
        main(
            [
                str(word)
                for word in (
                    "campaign",
                    "check",
                    tmp_path / "mine",
                )
            ]
        )
        == 0
    )
    assert capsys.readouterr().out == printed
    assert (
        main(
            [
                str(word)
                for word in (
                    "campaign",
                    "list",
                    tmp_path,
                )
            ]
        )
        == 0
    )
    assert capsys.readouterr().out == printed
    assert (
        main(
            [
                str(word)
                for word in (
                    "campaign",
                    "list",
                )
            ]
        )
        == 0
    )
    assert capsys.readouterr().out.startswith("sample: ")


def test_each_kind_wants_as_many_people_as_named_and_hindi_comes_by_translation(tmp_path: Path) -> None:
    new = ["campaign", "new", str(tmp_path / "mine"), "--dataset", str(DATASET), "--items=4", "--retrieval-items=1"]

    assert main([*new, "--voices=write=1,find=2"]) == 0

    made = Campaign.open(tmp_path / "mine")
    assert made.voices == {"write": 1, "verify": 3, "translate": 1, "find": 2, "real_pair": 1}
    assert made.writing == ("en",)
    assert (len(made.questions("write", "en")) > 0, made.questions("write", "hi")) == (True, [])


@pytest.mark.parametrize(
    "words",
    [
        ["--kinds=vote,sing"],
        ["--texts=captioner"],
        ["--texts==x_en.json"],
        ["--texts=a b=x_en.json"],
        ["--items=0"],
        ["--voices=1000"],
        ["--voices=write=0"],
        ["--voices=sing=2"],
        ["--voices=write"],
        ["--write-in=English"],
        ["--write-in=fr", "--items=4", "--retrieval-items=0"],
        ["--languages=English"],
        ["--split=../train"],
        ["--retrieval-items=-1"],
        ["--title=Mine"],
        ["--seed=-1"],
        ["--real-items=-1"],
        ["--real-split=../train"],
    ],
)
def test_an_option_that_cannot_be_is_refused_before_anything_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    new = ["campaign", "new", str(tmp_path / "mine"), "--dataset", str(DATASET)]

    assert main([*new, *words]) == 2

    output = capsys.readouterr()
    assert (output.out, output.err.count("\n")) == ("", 1)
    assert list(tmp_path.iterdir()) == []


def test_check_decodes_the_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "sample"
    shutil.copytree(READY_CAMPAIGNS / "sample", folder)
    picture = next((folder / "pictures").iterdir())
    picture.write_bytes(picture.read_bytes()[:-2000])
    Campaign.open(folder)

    assert main(["campaign", "check", str(folder)]) == 2
    assert str(picture) in capsys.readouterr().err


def test_gold_questions_are_made_of_texts_turned_false_equal_texts_and_targets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = ["campaign", "new", str(tmp_path / "mine"), "--dataset", str(DATASET), "--items=4", "--retrieval-items=1"]
    splits = [f"--split={name}" for name in SPLITS]
    texts = [f"--texts={source.name}={source.path}" for source in SOURCES]

    assert main([*new, *splits, *texts, "--gold=3", "--retrieval-split=test_unseen", "--retrieval-split=train"]) == 0
    campaign = Campaign.open(tmp_path / "mine")
    golds = {kind: campaign.gold_questions(kind, "en") for kind in ("vote", "verify", "find")}
    assert {kind: len(questions) for kind, questions in golds.items()} == {"vote": 3, "verify": 3, "find": 3}

    equal = [question for question in golds["vote"] if len({text.text for text in question.texts}) == 1]
    for question in nonempty(equal):
        view = QuestionView(question, "ann", bytes(32))
        assert [len(group) for group in view.texts] == [1, 1]
        tie, one = (VOTE.read({"relevant": place, "fluent": None}, view, None, 3.0)[0] for place in (None, 0))
        assert question.item.gold is not None
        assert VOTE.is_right(tie, question.item.gold)
        assert not VOTE.is_right(one, question.item.gold)
    columns = ["uid", "descriptions_en"]
    rows = [row for split in SPLITS for row in read_rows(DATASET, "captioning", split, columns)]
    own = {row["uid"]: row["descriptions_en"] for row in rows}
    turned = [q for q in golds["verify"] if mirrored_text(q.texts[0].text, "en") in own[q.item.uid.rpartition(".")[0]]]
    assert turned

    assert main(["campaign", "new", str(tmp_path / "big"), *new[3:], "--split=val_seen", "--gold=99"]) == 2
    assert "lower --gold to 0" in capsys.readouterr().err

"""The captioner's texts, chosen and repaired."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image

from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate, sampled_joints
from fmp_models.geometry.verdicts import confidence
from fmp_models.hub.models import LoadedModel, save_speaking
from fmp_models.hub.references import ModelFolder
from fmp_models.inference.clause_check import clause_confidence
from fmp_models.inference.correction import Correction, MeasuredPhotographs
from fmp_models.inference.corrector import CaptionerModel, GeometryModel, available_models, load_correction_model
from fmp_models.inference.neural_captioner import CaptionGenerator, ChosenText, Decoding, Votes, choose_texts
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_clauses, words_at
from fmp_models.languages.vocabulary import EOS, Vocabulary, tokenise, written_words
from fmp_models.networks.backbone import VisionModel
from fmp_models.networks.captioner import Captioner, PairBatch
from fmp_models.pose import Pose, PosePair
from fmp_models.preprocessing import PersonCrop, Photograph
from tests import captioners
from tests.bodies import Arm, Body, Leg, pairs
from tests.captioners import SIZES, VARIANTS, captioner
from tests.taught_captioners import PICTURES, save_taught, taught
from tests.thoroughness import examples, thorough

TEXTS = {
    "en": ["Raise your left arm to the side to shoulder height. Look at the sofa."],
    "hi": ["अपनी बाईं बांह को बगल की ओर कंधे की ऊंचाई तक उठाएं। सोफ़े को देखें।"],
}
SAID = {  # of these: what moves nobody is no step
    "en": "Raise your left arm to the side to shoulder height.",
    "hi": "अपनी बाईं बांह को बगल की ओर कंधे की ऊंचाई तक उठाएं।",
}
STANDING, LEFT_ARM_UP = Body(), Body(left_arm=Arm(lift=90, bend=0))


def measured_photographs(
    current: Body = STANDING, target: Body = LEFT_ARM_UP, visibility: float = 1.0
) -> MeasuredPhotographs:
    """Two grey photographs, 120 x 160, of bodies that stand at 50 pixels a metre."""

    def estimate(body: Body) -> PoseEstimate:
        joints, visible = body.pose().joints, np.full(20, visibility)
        pose_samples = None if visibility == 1 else sampled_joints(joints[None], visible, np.ones(20, dtype=bool))
        return PoseEstimate(
            Pose(joints, visible, pose_samples=pose_samples), joints[:, :2] * 50 + (60, 80), (20, 20, 100, 140), 1
        )

    photograph = Photograph(Image.new("RGB", (120, 160), (90, 120, 150)))
    return MeasuredPhotographs((photograph, photograph), (estimate(current), estimate(target)))


def captioning(
    texts: dict[str, list[str]] = TEXTS, decoding: Decoding | None = None, **switches: bool
) -> CaptionGenerator:
    model, vocabularies = taught(texts, **switches)
    loaded = LoadedModel(model, vocabularies, ModelFolder(Path(), "taught", "1"))
    return CaptionGenerator(loaded) if decoding is None else CaptionGenerator(loaded, decoding)


@pytest.fixture(scope="module")
def both() -> CaptionGenerator:
    return captioning(missing=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_taught(tmp_path_factory.mktemp("models") / "taught", TEXTS, missing=True)


def words_of_steps(spoken: Correction, place: int) -> set[tuple[int, int]]:
    """Return the words of the steps that say a clause: each of its sides may have its own."""
    return {step.words for step in spoken.steps if place in step.clauses}


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_says_what_it_was_taught_word_by_word(both: CaptionGenerator, language: str) -> None:
    spoken = both.generate(measured_photographs(), language)
    assert spoken.text == SAID[language]
    assert [step.by for step in spoken.steps] == ["taught"]
    assert [word.word for word in spoken.words] == spoken.text.split()
    assert all(0.5 < word.confidence <= 1 for word in spoken.words)
    assert set(spoken.milliseconds) == {"captioner", "check"}


def test_every_clause_says_where_it_stands_who_said_it_and_that_the_joints_agree() -> None:
    draft = "Raise your left arm to the side to shoulder height, then keep both legs where they are. Lower your head."
    spoken = captioning({"en": [draft]}).generate(measured_photographs(), "en")
    arm, legs = spoken.clauses
    assert (arm.part, arm.direction, arm.agrees, arm.by) == ("left arm", "up", True, "taught")
    assert (legs.part, legs.direction, legs.agrees, legs.by) == ("both legs", "keep", True, "taught")
    (step,) = spoken.steps  # what stays is none
    assert (step.clauses, step.words, legs.words) == ((0,), arm.words, (0, 0))
    assert " ".join(word.word for word in spoken.words[slice(*arm.words)]) == step.text
    assert step.by is None  # a sentence that says more than the step is not said as it was drafted
    assert spoken.dropped == 1


def test_what_the_joints_deny_is_dropped_and_what_they_are_sure_of_is_added_by_the_geometry() -> None:
    target = Body(left_arm=Arm(lift=90, bend=0), right_leg=Leg(lift=60, swing=90, bend=70))
    draft = "Lower your right arm. Raise your left arm to the side to shoulder height."
    spoken = captioning({"en": [draft]}).generate(measured_photographs(target=target), "en")
    own, *added = spoken.clauses
    assert (own.part, own.by) == ("left arm", "taught")
    assert {clause.by for clause in added} == {"geometry"}
    assert {clause.part for clause in added} >= {"right leg"}
    assert spoken.dropped == 1
    assert [word.word for word in spoken.words] == spoken.text.split()
    ours = [step for step in spoken.steps if step.by is None]
    assert ours
    for step in ours:
        assert {word.confidence for word in spoken.words[slice(*step.words)]} == {step.confidence or 1.0}
        assert all(look.current is None for look in spoken.looks[slice(*step.words)])


@thorough
def test_who_repairs_nothing_says_the_likeliest_draft_as_it_is() -> None:
    draft = "Raise your left arm to the side to shoulder height. Lower your right arm."
    model, vocabularies = taught({"en": [draft]})
    spoken = CaptionGenerator(
        LoadedModel(model, vocabularies, ModelFolder(Path(), "taught", "1")), repairs=False
    ).generate(measured_photographs(), "en")
    assert spoken.text == draft
    assert [(clause.part, clause.agrees) for clause in spoken.clauses] == [("left arm", True), ("right arm", False)]
    assert spoken.dropped == 0


FOREARM = "अपनी बाईं अग्रबाहु को थोड़ा सा ऊपर उठाएं। अपनी बाईं बांह को बगल की ओर कंधे की ऊंचाई तक उठाएं।"


@pytest.mark.parametrize("measured", [True, False])
def test_a_person_who_learned_another_word_for_the_forearm_is_shown_with_the_one_of_the_house(measured: bool) -> None:  # noqa: FBT001
    correction_model = captioning({"hi": [FOREARM]}, missing=True)
    what = measured_photographs() if measured else replace(measured_photographs(), estimates=(None, None))
    spoken = correction_model.generate(what, "hi")

    assert "अग्रबाहु" not in spoken.text
    assert [word.word for word in spoken.words] == spoken.text.split()
    assert len(spoken.looks) == len(spoken.words)


def test_both_words_of_the_house_are_as_sure_as_the_one_that_the_captioner_said() -> None:
    what = replace(measured_photographs(), estimates=(None, None))
    words = captioning({"hi": [FOREARM]}, missing=True).generate(what, "hi").words
    at = [word.word for word in words].index("निचली")
    assert words[at].confidence == words[at + 1].confidence
    assert words[at + 1].word == "बांह"


def test_what_a_captioner_itself_has_learned_is_told_in_its_own_words() -> None:
    model, vocabularies = taught({"hi": [FOREARM]}, missing=True)
    raw = CaptionGenerator(LoadedModel(model, vocabularies, ModelFolder(Path(), "taught", "1")), repairs=False)
    assert "अग्रबाहु" in raw.generate(measured_photographs(), "hi").text


def test_what_another_draft_says_is_asked_for_before_the_geometry_speaks() -> None:
    target = Body(left_arm=Arm(lift=90, bend=0), right_arm=Arm(lift=90, bend=0))
    texts = [f"Raise your {side} arm to the side to shoulder height." for side in ("left", "right")]
    spoken = captioning({"en": texts}, Decoding("sample", texts=12, rerank=True)).generate(
        measured_photographs(target=target), "en"
    )
    assert sorted(spoken.text.split(". ")) == sorted(" ".join(texts).split(". ")) or set(texts) == {
        clause.text for clause in spoken.clauses
    }
    assert {clause.by for clause in spoken.clauses} == {"taught"}


def test_a_clause_is_as_sure_as_its_words_and_the_joints_together(both: CaptionGenerator) -> None:
    what = measured_photographs()
    spoken = both.generate(what, "en")
    (clause_read,) = read_clauses(spoken.text, grammar("en"))
    (clause,) = spoken.clauses
    chances = [word.confidence for word in spoken.words[slice(*clause.words)]]
    assert what.pair is not None
    expected = clause_confidence(float(np.exp(np.mean(np.log(chances)))), confidence(clause_read.goal, what.pair))
    assert clause.confidence == pytest.approx(expected, abs=2e-3)


def test_a_word_is_as_sure_as_the_mark_it_carries() -> None:
    askew = measured_photographs(target=Body(left_arm=Arm(lift=90, swing=45, bend=0)))
    spoken = captioning({"en": ["Raise your left arm.", "Raise your left arm, please."]}).generate(askew, "en")
    *_, your, left, arm = spoken.words[:4]
    assert min(your.confidence, left.confidence) > 0.9
    assert 0.5 < arm.confidence < 0.9


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_joints_it_answers_from_the_pictures_and_says_so_first(both: CaptionGenerator, language: str) -> None:
    what = measured_photographs()
    alone = replace(what, estimates=(what.estimates[0], None))
    spoken = both.generate(alone, language)
    warning = grammar(language).pictures_alone
    assert spoken.text == f"{warning} {TEXTS[language][0]}"
    assert [word.word for word in spoken.words] == spoken.text.split()
    assert spoken.squares is not None
    assert spoken.squares[1] == PersonCrop.of_whole(120, 160)
    assert all(look.joints is None for look in spoken.looks)
    (clause,) = spoken.clauses
    assert clause.agrees is None
    assert clause.words[0] == len(warning.split())
    assert clause.confidence < both.generate(what, language).clauses[0].confidence


@thorough
def test_who_cannot_do_without_joints_or_pictures_says_so() -> None:
    assert captioning().needs_joints
    assert captioning(vision=False, joints=False).needs_joints
    assert not captioning(missing=True).needs_joints
    assert not captioning(joints=False).needs_joints
    what = measured_photographs()
    with pytest.raises(ValueError, match="needs joints"):
        captioning().generate(replace(what, estimates=(None, None)), "en")


def test_every_word_looked_somewhere(both: CaptionGenerator) -> None:
    what = measured_photographs()
    spoken = both.generate(what, "en")
    assert len(spoken.looks) == len(spoken.words)
    for look in spoken.looks:
        weights = [look.current, look.target, look.joints, look.differences]
        shapes = [(2, 2), (2, 2), (20,), (20,)]
        assert [None if one is None else one.shape for one in weights] == shapes
        assert [float(one.sum()) for one in weights if one is not None] == pytest.approx([1] * 4, abs=1e-5)
    assert spoken.squares == tuple(PICTURES.square(120, 160, estimate.image_joints) for estimate in what.estimates)


def test_a_captioner_without_joints_looks_at_each_photograph() -> None:
    spoken = captioning(joints=False).generate(measured_photographs(), "en")
    assert all(look.joints is None and look.differences is None for look in spoken.looks)
    assert all(look.current is not None and look.target is not None for look in spoken.looks)


def test_a_captioner_that_sees_nothing_looks_nowhere() -> None:
    spoken = captioning(vision=False, joints=False).generate(measured_photographs(), "en")
    assert spoken.text == SAID["en"]
    assert spoken.looks == ()
    assert spoken.squares is None


def test_of_a_body_that_is_hardly_seen_the_photographs_alone_are_looked_at(both: CaptionGenerator) -> None:
    hidden = both.generate(measured_photographs(visibility=0.1), "en")
    assert hidden.text.startswith(SAID["en"])
    assert all(look.joints is None and look.differences is None for look in hidden.looks)
    what = measured_photographs(visibility=0.1)
    bent = measured_photographs(target=Body(left_arm=Arm(lift=95, bend=0)), visibility=0.1)
    elsewhere = replace(bent, photographs=what.photographs)
    own = len(SAID["en"].split())
    chances = [[word.confidence for word in both.generate(one, "en").words[:own]] for one in (what, elsewhere)]
    assert chances[0] == chances[1]


def test_joints_are_given_to_who_cannot_do_without_them() -> None:
    spoken = captioning().generate(measured_photographs(visibility=0.1), "en")
    assert all(look.joints is not None for look in spoken.looks[: len(SAID["en"].split())])


def test_photographs_and_joints_both_count() -> None:
    model, vocabularies = taught({"en": ["Raise your left arm sideways."]})
    correction_model = CaptionGenerator(LoadedModel(model, vocabularies, ModelFolder(Path(), "taught", "1")))
    what = measured_photographs()
    plain = correction_model.generate(what, "en")
    assert correction_model.generate(what, "en").words == plain.words
    noise = np.random.default_rng(0).integers(0, 256, (160, 120, 3), dtype=np.uint8)
    others = replace(what, photographs=(what.photographs[0], Photograph(Image.fromarray(noise))))
    moved = replace(
        what,
        estimates=(what.estimates[0], measured_photographs(target=Body(left_arm=Arm(lift=110, bend=0))).estimates[1]),
    )
    for changed in (others, moved):
        looks = [look.joints for look in correction_model.generate(changed, "en").looks]
        assert not all(np.array_equal(a, b.joints) for a, b in zip(looks, plain.looks, strict=True))


def test_candidates_are_reranked_by_what_the_repair_leaves_of_them() -> None:
    model = taught({"en": ["Raise your left arm sideways.", "Raise your right arm.", "Raise your right arm."]})
    loaded = LoadedModel(*model, ModelFolder(Path(), "taught", "1"))
    plain, reranked = (
        CaptionGenerator(loaded, Decoding("beam", rerank=rerank)).generate(measured_photographs(), "en")
        for rerank in (False, True)
    )
    assert (plain.dropped, {clause.by for clause in plain.clauses}) == (1, {"geometry"})
    assert (reranked.dropped, reranked.text) == (0, "Raise your left arm sideways.")


def test_a_captioner_that_cannot_see_photographs_is_refused() -> None:
    model, vocabularies = taught(TEXTS)
    with pytest.raises(BadInputError, match="no backbone"):
        CaptionGenerator(
            LoadedModel(VisionModel(model.network, None), vocabularies, ModelFolder(Path(), "taught", "1"))
        )


@thorough
def test_visitors_at_once_share_one_captioner_and_get_their_own_answers(folder: Path) -> None:
    asked = [
        (measured_photographs(STANDING, LEFT_ARM_UP), "en"),
        (measured_photographs(LEFT_ARM_UP, STANDING), "hi"),
        (measured_photographs(STANDING, STANDING), "en"),
    ]
    alone = [CaptionerModel(ModelFolder(folder, "taught", "1")).generate(*one) for one in asked]
    correction_model = CaptionerModel(ModelFolder(folder, "taught", "1"))

    def say(one: tuple[MeasuredPhotographs, str]) -> Correction:
        return replace(correction_model.generate(*one), milliseconds={})

    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(say, asked * 4))
    assert len({id(correction_model._read()) for _ in range(3)}) == 1
    for got, expected in zip(together, alone * 4, strict=True):
        assert (got.text, got.words, got.clauses) == (expected.text, expected.words, expected.clauses)
        assert np.array_equal(got.looks[0].differences, expected.looks[0].differences)


def test_a_speaker_is_found_by_its_name_or_folder(folder: Path) -> None:
    assert isinstance(load_correction_model("geometry"), GeometryModel)
    correction_model = load_correction_model(str(folder))
    assert correction_model.name.id == f"./{folder.name}"
    assert len(correction_model.name.revision) == 64
    assert set(correction_model.languages) == set(TEXTS)
    assert correction_model.generate(measured_photographs(), "en").text == SAID["en"]


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BadInputError, match="geometry"):
        load_correction_model("oracle")


def test_a_damaged_captioner_is_told_to_who_named_it_and_a_fault_to_others(tmp_path: Path) -> None:
    model = taught(TEXTS)
    save_speaking(tmp_path / "model", *model, "A captioner for tests.\n")
    (tmp_path / "model" / "model.safetensors").write_bytes(b"no weights")
    correction_model = load_correction_model(str(tmp_path / "model"))
    with pytest.raises(BadInputError, match="cannot be used"):
        correction_model.load()
    with pytest.raises(RuntimeError, match="cannot be used"):
        correction_model.generate(measured_photographs(), "en")


def test_the_geometry_is_always_offered_and_nobody_twice(folder: Path) -> None:
    trained = load_correction_model(str(folder))
    assert [one.name.id for one in available_models(trained)][:2] == [f"./{folder.name}", "geometry"]
    ids = [one.name.id for one in available_models(load_correction_model("geometry"))]
    assert ids[0] == "geometry"
    assert len(set(ids)) == len(ids)
    assert {"captioner", "captioner-language", "captioner-vision"} <= set(ids)


@given(pairs, st.sampled_from(LANGUAGES), st.none() | st.integers(0, 50))
def test_the_geometry_s_words_and_clauses_line_up(pair: PosePair, language: str, seed: int | None) -> None:
    what = measured_photographs()
    estimates = tuple(
        replace(one, pose=pose) for one, pose in zip(what.estimates, (pair.current, pair.target), strict=True)
    )
    spoken = GeometryModel().generate(replace(what, estimates=estimates), language, seed)
    assume(spoken.clauses)
    assert spoken.looks == ()
    assert [word.word for word in spoken.words] == spoken.text.split()
    ends = [0, *(step.words[1] for step in spoken.steps)]
    for step, end in zip(spoken.steps, ends, strict=False):
        first, beyond = step.words
        assert end <= first < beyond
        assert " ".join(word.word for word in spoken.words[first:beyond]) == step.text
        assert {word.confidence for word in spoken.words[first:beyond]} == {step.confidence or 1.0}
        assert all(spoken.clauses[place].words in words_of_steps(spoken, place) for place in step.clauses)


@given(st.lists(st.sampled_from(["raise", "your", "arm", ",", ".", "(", ")", "left", "और", "।"]), max_size=12))
def test_written_words_are_those_between_the_spaces_of_the_text(word_list: Sequence[str]) -> None:
    parts = written_words(word_list, "en")
    assert sum(count for _, count in parts) == len(word_list)
    text = " ".join(word for word, _ in parts)
    assert text.split() == [word for word, _ in parts]
    assert len(tokenise(text, "hi")) <= len(word_list)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_geometry_has_no_words_where_nothing_changes(language: str) -> None:
    what = measured_photographs()
    spoken = GeometryModel().generate(replace(what, estimates=(what.estimates[0], what.estimates[0])), language)
    assert (spoken.clauses, spoken.words, spoken.looks) == ((), (), ())


@given(st.text(st.sampled_from("ab ,.\n"), max_size=20), st.data())
def test_characters_are_found_as_words(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    first, beyond = words_at(text, *places)
    touched = text[places[0] : places[1]].split()
    assume(touched)
    assert beyond - first == len(touched)
    for word, part in zip(text.split()[first:beyond], touched, strict=True):
        assert part in word


@pytest.mark.parametrize(("text", "language"), [("  Raise your left arm , and  bend your right knee .", "en")])
def test_a_clause_that_is_read_says_where_it_begins(text: str, language: str) -> None:
    clauses = read_clauses(text, grammar(language))
    assert [text[slice(*one.span)] for one in clauses] == [one.text for one in clauses]
    assert [one.text for one in clauses] == ["Raise your left arm", "bend your right knee"]


LEFT_UP = PosePair(Body().pose(), Body(left_arm=Arm(lift=90, bend=0)).pose())
RIGHT_UP = PosePair(Body().pose(), Body(right_arm=Arm(lift=90, bend=0)).pose())
LEFT, RIGHT, NEITHER = "Raise your left arm.", "Raise your right arm.", "Very good."
LIMIT = 12


@pytest.fixture(scope="module")
def either() -> tuple[Captioner, Vocabulary]:
    """Return a captioner that says any of the three sentences, the false one more often than the true one."""
    model, vocabularies = taught({"en": [LEFT, RIGHT, RIGHT, NEITHER]}, vision=False, joints=False)
    return model.network, vocabularies["en"]


def spoken(
    model: tuple[Captioner, Vocabulary],
    poses: list[PosePair | None],
    decoding: Decoding,
    limit: int = LIMIT,
    votes: Votes | None = None,
) -> list[ChosenText]:
    network, vocabulary = model
    with torch.no_grad():
        encoded = network.encode(PairBatch(current_joints=torch.zeros(len(poses), 20, 3)))
        return choose_texts(network, encoded, vocabulary, poses, decoding, limit, votes)


@pytest.mark.parametrize("method", ["beam", "sample"])
def test_of_several_texts_the_one_that_the_joints_bear_out_is_chosen(
    either: tuple[Captioner, Vocabulary], method: str
) -> None:
    chosen = spoken(either, [LEFT_UP, RIGHT_UP], Decoding(method, texts=12, rerank=True))
    assert [one.text for one in chosen] == [LEFT, RIGHT]


def test_without_reranking_the_likeliest_text_is_chosen(either: tuple[Captioner, Vocabulary]) -> None:
    for decoding in (Decoding(), Decoding("beam"), Decoding("sample", texts=40)):
        assert {one.text for one in spoken(either, [LEFT_UP, RIGHT_UP], decoding)} == {RIGHT}


def test_without_joints_there_is_nothing_to_rerank_by(either: tuple[Captioner, Vocabulary]) -> None:
    chosen = spoken(either, [LEFT_UP, None], Decoding("beam", texts=12, rerank=True))
    assert [one.text for one in chosen] == [LEFT, RIGHT]


def for_left(texts: Sequence[Sequence[str]]) -> list[list[float]]:
    """Vote for the text of the left arm, whatever the pair."""
    return [[float(text == LEFT) for text in several] for several in texts]


def test_votes_choose_before_the_captioner_and_after_the_joints(either: tuple[Captioner, Vocabulary]) -> None:
    poses = [LEFT_UP, RIGHT_UP]
    voted = spoken(either, poses, Decoding("beam", texts=12), votes=for_left)
    assert [one.text for one in voted] == [LEFT, LEFT]
    judged = spoken(either, poses, Decoding("beam", texts=12, rerank=True), votes=for_left)
    assert [one.text for one in judged] == [LEFT, RIGHT]


def test_a_text_that_nobody_can_judge_comes_last() -> None:
    model, vocabularies = taught({"en": [LEFT, NEITHER, NEITHER, NEITHER]}, vision=False, joints=False)
    either = model.network, vocabularies["en"]
    assert [one.text for one in spoken(either, [RIGHT_UP], Decoding("beam"))] == [NEITHER]
    assert [one.text for one in spoken(either, [RIGHT_UP], Decoding("beam", rerank=True))] == [LEFT]


def test_a_text_that_broke_off_gives_way_to_one_that_ended() -> None:
    model, vocabularies = taught({"en": [f"{LEFT} {LEFT} {LEFT}", RIGHT]}, vision=False, joints=False)
    either = model.network, vocabularies["en"]
    decoding = Decoding("sample", texts=12, rerank=True)
    (cut,) = spoken(either, [LEFT_UP], decoding, limit=12)
    (whole,) = spoken(either, [LEFT_UP], decoding, limit=20)
    assert (cut.text, whole.text) == (RIGHT, f"{LEFT} {LEFT} {LEFT}")


def test_samples_are_repeated_by_their_seed(either: tuple[Captioner, Vocabulary]) -> None:
    texts = [spoken(either, [LEFT_UP] * 8, Decoding("sample", texts=1, seed=seed)) for seed in (1, 1, 2, 3)]
    said_by_seed = [tuple(one.text for one in row) for row in texts]
    assert said_by_seed[0] == said_by_seed[1]
    assert len(set(said_by_seed)) > 1


@given(st.integers(0, 1000), st.sampled_from(sorted(VARIANTS)), st.sampled_from(["greedy", "beam", "sample"]))
@examples(15)
def test_every_pair_gets_one_text_of_the_words_that_were_said(seed: int, variant: str, method: str) -> None:
    network = captioner(seed, **VARIANTS[variant])
    vocabulary = Vocabulary("hi", ("<pad>", "<bos>", "<eos>", "<unk>", *"कखगघचछज"[: SIZES["hi"] - 4]))
    with torch.no_grad():
        encoded = network.encode(captioners.pairs(3, seed))
        chosen = choose_texts(
            network, encoded, vocabulary, [LEFT_UP] * 3, Decoding(method, texts=3, rerank=True), limit=5
        )
    assert len(chosen) == 3
    for one in chosen:
        assert one.text == vocabulary.decode(one.hypothesis.words)
        assert len(one.hypothesis.words) == len(one.hypothesis.probabilities) <= 5
        assert EOS not in one.hypothesis.words


@pytest.mark.parametrize(("method", "texts"), [("beam", 0), ("sample", -1), ("dance", 5)])
def test_what_is_no_decoding_is_refused(method: str, texts: int) -> None:
    with pytest.raises(ValueError, match="no decoding"):
        Decoding(method, texts)

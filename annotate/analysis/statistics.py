"""Statistics of live answers: data frames, bootstrap intervals, vote shares, strengths, accuracy and agreement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
import pandas as pd
from krippendorff import alpha as krippendorffs
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from annotate.campaigns import Campaign, finds, flagged_items, is_verified, text_statuses
from annotate.kinds import (
    MODES,
    VOTE,
    Comparison,
    DialogueJudged,
    FindTarget,
    Fooling,
    Rating,
    Repair,
    Vote,
    tied_by_themselves,
)
from annotate.records import MODELS_SEEN, TARGET_SEEN, Event, Flag

# Live answers of a campaign as tidy data frames, the source of every table of results.
#
# Gold items measure attention: their answers are only in ``answers``.

NOBODY = ""  # the annotator of votes for identical texts, which nobody was asked about

_ANSWERS = ("id", "time", "kind", "language", "item", "annotator", "gold", "seconds")
_VOTES = ("vote", "language", "item", "annotator", "model", "relevant", "fluent", "relevant_tied", "fluent_tied")
_RATINGS = ("id", "language", "item", "annotator", "text", "score")
_CHOICES = ("id", "language", "item", "annotator", "mode", "correct", "chance")
_TEXTS = ("text", "language", "item", "source", "author", "status")
_JUDGED = ("language", "item", "annotator", "text", "verdict", "question_kind", "dependence", "distance")


@dataclass(frozen=True)
class Frames:
    """Tidy tables; the rows of each are described below.

    ``answers``: an answer of any kind; ``seconds`` are NaN if unknown. ``votes``: a vote, numbered within its
    language, and one model whose text was shown, with the share of the vote that the model got for relevance and for
    fluency, and whether all models were tied in it. Votes of annotators who already knew which model wrote which text
    are left out. If all texts of an item are identical, nobody is asked, and there are as many tied votes of
    ``NOBODY`` as the item wants
    answers. ``ratings``: a text's score from one person. ``choices``: a choice among candidates, with ``chance``,
    the probability that a random choice is right. Choices whose target the annotator may have seen before are
    left out. ``texts``: a text that people judge; texts written by annotators have an ``author``. ``judged``: a
    ``verdict`` on an answer in a dialogue.
    """

    answers: pd.DataFrame
    votes: pd.DataFrame
    ratings: pd.DataFrame
    choices: pd.DataFrame
    texts: pd.DataFrame
    judged: pd.DataFrame


def frames(living: Sequence[Event], campaign: Campaign) -> Frames:
    """Return the tables of a campaign's live events in order of time; votes by the campaign's order of languages."""
    living = [event for event in living if event.campaign == campaign.name]
    gold = {item.uid for item in campaign.items if item.gold is not None}
    return Frames(
        pd.DataFrame(
            [(e.id, e.time, e.kind, e.language, e.item, e.annotator, e.item in gold, _seconds(e)) for e in living],
            columns=_ANSWERS,
        ).astype({"seconds": float}),
        pd.DataFrame(
            [
                (vote, language, *row)
                for language in campaign.languages
                for vote, rows in enumerate(_votes(living, campaign, language))
                for row in rows
            ],
            columns=_VOTES,
        ),
        pd.DataFrame(
            [
                (event.id, event.language, event.item, event.annotator, event.payload.text, event.payload.score)
                for event in living
                if isinstance(event.payload, Rating) and event.item not in gold
            ],
            columns=_RATINGS,
        ),
        pd.DataFrame(_choices(living, campaign), columns=_CHOICES),
        judged_texts(living, campaign),
        pd.DataFrame(
            [vars(e) | vars(e.payload) for e in living if isinstance(e.payload, DialogueJudged) and e.item not in gold],
            columns=_JUDGED,
        ),
    )


def judged_texts(events: Iterable[Event], campaign: Campaign) -> pd.DataFrame:
    """Return the table ``texts`` of the frames."""
    return pd.DataFrame(
        [
            (entry.text.id, entry.text.language, entry.item, entry.text.source, entry.author, entry.status)
            for entry in text_statuses(events, campaign)
        ],
        columns=_TEXTS,
    )


def _seconds(event: Event) -> float:
    return getattr(event.payload, "seconds", 0.0) or np.nan


def _votes(living: Sequence[Event], campaign: Campaign, language: str) -> Iterator[list[tuple[object, ...]]]:
    """Yield the rows of each vote for the campaign's texts; a vote for identical texts is split among their models."""
    models = {
        (item.uid, text.id): text.source
        for item in campaign.items
        if item.gold is None
        for text in item.texts_for(VOTE.key, language)
    }
    unblinded = _flagged(living, MODELS_SEEN)
    cast = [
        (event.item, event.annotator, payload.shown, payload.relevant, payload.fluent)
        for event in living
        if isinstance(payload := event.payload, Vote)
        and event.language == language
        and event.id not in unblinded
        and all((event.item, text) in models for text in payload.shown)
    ]
    if cast:
        alike = tied_by_themselves(campaign.items, language).items()
        cast += [(item, NOBODY, ids, ids, ids) for item, ids in alike for _ in range(campaign.voices_for(VOTE.key))]
    for item, annotator, *id_lists in cast:
        compared, *best = ([models[item, text] for text in ids] for ids in id_lists)
        tied = [len(winners) == len(compared) for winners in best]
        yield [
            (item, annotator, model, *(winners.count(model) / len(winners) for winners in best), *tied)
            for model in dict.fromkeys(compared)
        ]


def _choices(living: Sequence[Event], campaign: Campaign) -> Iterator[tuple[object, ...]]:
    spoiled = _flagged(living, TARGET_SEEN)
    candidates = {item.uid: len(item.candidates) for item in campaign.items if item.gold is None and item.candidates}
    for event in living:
        payload = event.payload
        if not isinstance(payload, FindTarget) or payload.text or event.id in spoiled:
            continue
        if event.item in candidates:
            chance = 1 / candidates[event.item]
            yield event.id, event.language, event.item, event.annotator, payload.mode, payload.correct, chance


def _flagged(living: Sequence[Event], reason: str) -> set[str]:
    """Return the ids of the answers that have a flag with this reason."""
    return {e.payload.of for e in living if isinstance(e.payload, Flag) and e.payload.reason == reason}


# Bootstrap intervals over annotators: how far a number would move if other people had been asked.
#
# People differ more than their single answers do, so whole annotators are resampled, each with all of their
# answers. For few annotators the plain percentiles are too narrow. They are widened by Student's t (Hesterberg
# 2015, "What teachers should know about the bootstrap", the expanded percentile interval).

Array = NDArray[np.float64]

CONFIDENCE = 0.95
FEW_ANNOTATORS = 10  # with fewer annotators an interval is rough
RESAMPLES = 1000
_NO_SPREAD = 1e-9
_AT_ONCE = 2_000_000  # maximum number of drawn annotators in memory


def resampled(totals: Array, seed: int = 0) -> Array:
    """Return sums over annotators drawn with replacement: (annotators, ...) becomes (RESAMPLES, ...)."""
    people = len(totals)
    flat = totals.reshape(people, -1)
    rng, sums = np.random.default_rng(seed), []
    batch = max(1, _AT_ONCE // max(people, 1))
    for start in range(0, RESAMPLES, batch):
        times = rng.multinomial(people, np.full(people, 1 / people), size=min(batch, RESAMPLES - start))
        sums.append(times @ flat)
    return np.concatenate(sums).reshape(RESAMPLES, *totals.shape[1:])


def estimates(values: Array, drawn: Array, people: int) -> pd.DataFrame:
    """Return each ``value`` of (n,) with its interval ``low`` to ``high`` from ``drawn`` (RESAMPLES, n).

    ``people`` is the number of annotators. ``low`` and ``high`` are NaN for fewer than two people, or if they all
    answered so alike that resampling tells nothing.
    """
    if people < 2:  # noqa: PLR2004  one person has no variance
        return pd.DataFrame({"value": values, "low": np.nan, "high": np.nan})
    # Normal and Student's t functions; importing scipy.stats would add half a second to each start of the app.
    tail = ndtr(np.sqrt(people / (people - 1)) * stdtrit(people - 1, (1 - CONFIDENCE) / 2))
    ends = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    low, high = np.where(ends[1] - ends[0] > _NO_SPREAD, ends, np.nan)
    return pd.DataFrame({"value": values, "low": low, "high": high})


def share_estimates(values: Array, drawn: Array, people: int) -> pd.DataFrame:
    """Return :func:`estimates` of shares; for a share of 0 or 1 the interval is that of Clopper and Pearson.

    There each person counts once, since all of their answers are the same.
    """
    table = estimates(values, drawn, people)
    if people < 2:  # noqa: PLR2004
        return table
    surest = 1 - float((1 - CONFIDENCE) / 2) ** (1 / people)
    unanimous = [table["low"].isna() & (values == part) for part in (0, 1)]
    low = np.select(unanimous, [0.0, 1 - surest], table["low"])
    high = np.select(unanimous, [surest, 1.0], table["high"])
    return pd.DataFrame({"value": values, "low": low, "high": high})


# Shares of the votes of each model for relevance and fluency, as in the paper's Table 2.
#
# A vote for one text counts for its model. A vote for identical texts is divided among their models. A vote for
# all texts is a tie. The votes are those of :func:`frames`, in one language.

Question = Literal["relevant", "fluent"]

QUESTIONS: tuple[Question, ...] = ("relevant", "fluent")
TIED = "(tied)"  # listed as a model; names of models begin with a letter or a digit

# Kim et al., FixMyPose (AAAI 2021), Table 2, human evaluation on val-seen: relevance, fluency and grammar.
PAPER_SHARES: dict[str, dict[str, tuple[float, float]]] = {
    "en": {"V-only": (0.04, 0.04), "L-only": (0.15, 0.27), "V+L": (0.48, 0.45)},
    "hi": {"V-only": (0.09, 0.10), "L-only": (0.19, 0.26), "V+L": (0.51, 0.53)},
}


def shares(votes: pd.DataFrame, question: Question, seed: int = 0) -> pd.DataFrame:
    """Return each model's share of the votes in which it was shown, and the share of ties, last.

    Columns: ``model``, ``value``, ``low``, ``high``, with intervals over annotators. There must be a vote.
    """
    tied, once = votes[f"{question}_tied"], votes.drop_duplicates("vote")
    parts = pd.concat(
        [
            votes.assign(got=votes[question].mask(tied, 0.0)),
            once.assign(model=TIED, got=once[f"{question}_tied"].astype(float)),
        ]
    )
    totals = parts.groupby(["annotator", "model"])["got"].agg(["sum", "count"]).unstack(fill_value=0)  # noqa: PD010
    people, standing = of_people(totals, 2)

    def of_totals(totals: Array) -> Array:
        with np.errstate(invalid="ignore"):
            return np.asarray(totals[..., 0, :] / totals[..., 1, :])

    values = of_totals(people.sum(axis=0) + standing)
    table = share_estimates(values, of_totals(resampled(people, seed) + standing), len(people))
    table.insert(0, "model", totals["sum"].columns)
    return table.sort_values("model", key=lambda models: models == TIED, kind="stable", ignore_index=True)


def of_people(totals: pd.DataFrame, rows: int) -> tuple[Array, Array]:
    """Return sums by annotator as (annotators, rows, ...), and the sums (rows, ...) of the votes of ``NOBODY``."""
    standing = totals.reindex([NOBODY], fill_value=0).to_numpy(np.float64)
    people = totals.drop(index=NOBODY, errors="ignore").to_numpy(np.float64)
    return people.reshape(len(people), rows, -1), standing.reshape(rows, -1)


# Bradley-Terry strengths of the models from all comparisons at once, with ties as half wins.
#
# A vote for the best of several texts means that it beat each of the others, and nothing about the others among
# themselves. As a prior, every model also won half a comparison and lost half a comparison against an average
# one, so that a model that was never beaten, or never compared, has a finite strength. Comparisons from one
# vote are not independent; the intervals are over annotators.

PRIOR = 0.5  # comparisons with the average model that each model won, and as many that it lost
_STEPS = 100
_MAX_STEP = 1.0  # a longer Newton step may overshoot
_TOLERANCE = 1e-10


def strengths(votes: pd.DataFrame, question: Question, seed: int = 0) -> pd.DataFrame:
    """Return each model's strength from the votes of one language; strengths sum to 1, and their ratios are odds.

    Columns: ``model``, ``value``, ``low``, ``high``, with intervals over annotators. There must be a vote.
    """
    pairs = votes.merge(votes[["vote", "model", question]], on="vote", suffixes=("", "_other"))
    best, other_best = pairs[question] > 0, pairs[f"{question}_other"] > 0
    pairs["won"] = (best & ~other_best) + 0.5 * (best & other_best & (pairs["model"] != pairs["model_other"]))
    models = sorted(votes["model"].unique())
    wins = pairs.groupby(["annotator", "model", "model_other"])["won"].sum().unstack([1, 2], fill_value=0)  # noqa: PD010
    model_pairs = pd.MultiIndex.from_product([models, models])
    people, standing = of_people(wins.reindex(columns=model_pairs, fill_value=0), len(models))
    values = _parts(log_strengths(people.sum(axis=0) + standing))
    drawn = _parts(log_strengths(resampled(people, seed) + standing))
    table = estimates(values, drawn, len(people))
    table.insert(0, "model", models)
    return table


def log_strengths(wins: Array, prior: float = PRIOR) -> Array:
    """Return the logarithms of the most likely strengths, (..., n) with mean 0, by Newton's method.

    ``wins`` (..., n, n) counts how often the row beat the column. Without ``prior``, a model that always won or
    lost has no finite strength.
    """
    met = wins + np.swapaxes(wins, -1, -2)
    won = wins.sum(axis=-1)
    count = wins.shape[-1]
    diagonal = np.arange(count)
    logarithms = np.zeros((*wins.shape[:-2], count))
    for _ in range(_STEPS):
        expected = _logistic(logarithms[..., :, None] - logarithms[..., None, :])
        against_average = _logistic(logarithms)
        slope = won - (met * expected).sum(axis=-1) + prior * (1 - 2 * against_average)
        bend = -met * expected * (1 - expected)
        on_diagonal = (
            -bend.sum(axis=-1) + bend[..., diagonal, diagonal] + 2 * prior * against_average * (1 - against_average)
        )
        bend[..., diagonal, diagonal] = on_diagonal
        # Without the prior all strengths may shift together; this keeps their sum and changes nothing else.
        step = np.linalg.solve(bend + (prior == 0), slope[..., None])[..., 0]
        logarithms += np.clip(step, -_MAX_STEP, _MAX_STEP)
        if np.abs(step).max(initial=0.0) < _TOLERANCE:
            break
    return np.asarray(logarithms - logarithms.mean(axis=-1, keepdims=True))


def _parts(logarithms: Array) -> Array:
    odds = np.exp(logarithms - logarithms.max(axis=-1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True))


def _logistic(value: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(value / 2)))


# Accuracy of people at finding the target: with everything, with the words alone, with the picture alone.
#
# The paper asked an expert about 50 instances: 96 % with everything in both languages, and in English 38 % with
# the words alone and 22 % with the picture alone (Table 7 and footnote 8).

PAPER_ACCURACIES = {
    ("en", "everything"): 0.96,
    ("en", "language"): 0.38,
    ("en", "picture"): 0.22,
    ("hi", "everything"): 0.96,
}
_ACCURACY_COLUMNS = ("language", "mode", "value", "low", "high", "choices", "annotators", "chance", "paper")


def accuracies(choices: pd.DataFrame, languages: Sequence[str], seed: int = 0) -> pd.DataFrame:
    """Return the share of right choices in every language and mode with choices, in that order.

    Columns: ``language``, ``mode``, ``value``, ``low``, ``high``, the numbers of ``choices`` and ``annotators``,
    the ``chance`` of a random choice, and the result of the ``paper``'s expert if there is one.
    """
    rows = []
    for language, mode in product(languages, MODES):
        mode_choices = choices[(choices["language"] == language) & (choices["mode"] == mode)]
        if mode_choices.empty:
            continue
        columns = (
            len(mode_choices),
            mode_choices["annotator"].nunique(),
            mode_choices["chance"].mean(),
            PAPER_ACCURACIES.get((language, mode)),
        )
        rows.append((language, mode, *_share(mode_choices, "correct", seed), *columns))
    return pd.DataFrame(rows, columns=_ACCURACY_COLUMNS).astype({"paper": float})


def _share(answers: pd.DataFrame, column: str, seed: int) -> tuple[float, ...]:
    """Return the mean of a column with its interval over annotators; three NaN without answers."""
    if answers.empty:
        return (np.nan,) * 3
    people = answers.groupby("annotator")[column].agg(["sum", "count"]).to_numpy(np.float64)
    drawn = resampled(people, seed)
    right, total = people.sum(axis=0)
    return tuple(share_estimates(np.array([right / total]), drawn[:, :1] / drawn[:, 1:], len(people)).iloc[0])


# Repairs of drafts, and how often others find the mended text better than its draft; a tie is half a win.

_REPAIR_COLUMNS = ("language", "model", "repairs", "annotators", "steps", "mended", "seconds", "comparisons")


def repairs(living: Sequence[Event], campaign: Campaign, seed: int = 0) -> pd.DataFrame:
    """Return a row for each language and model of the drafts that were repaired.

    Columns: ``language``, ``model``; the numbers of ``repairs`` and of their ``annotators``, the mean of the editing
    ``steps``, the share ``mended`` with any, the median ``seconds``; the number of ``comparisons`` with the draft, and
    the share won, ``value``, with its interval ``low`` to ``high``. Comparisons by people who may know the draft's
    model are left out.
    """
    sources = {(item.uid, text.language, text.id): text.source for item in campaign.items for text in item.texts}
    given = pd.DataFrame(
        [
            (
                *(e.id, e.language, sources.get((e.item, e.language, repair.of), repair.model)),
                *(e.annotator, repair.editing_steps, _seconds(e)),
            )
            for e in living
            if isinstance(repair := e.payload, Repair) and e.campaign == campaign.name
        ],
        columns=["of", "language", "model", "mender", "steps", "seconds"],
    )
    unblinded = _flagged(living, MODELS_SEEN)
    judged = pd.DataFrame(
        [
            (one.of, e.annotator, (one.of in one.better) / len(one.better))
            for e in living
            if isinstance(one := e.payload, Comparison) and e.id not in unblinded
        ],
        columns=["of", "annotator", "won"],
    ).merge(given, on="of")
    rows = []
    for (language, model), of_model in given.groupby(["language", "model"]):
        compared = judged[(judged["language"] == language) & (judged["model"] == model)]
        steps, seconds = of_model["steps"], of_model["seconds"].astype(float).median()
        counts = (len(of_model), of_model["mender"].nunique(), steps.mean(), (steps > 0).mean(), seconds)
        rows.append((language, model, *counts, len(compared), *_share(compared, "won", seed)))
    return pd.DataFrame(rows, columns=[*_REPAIR_COLUMNS, "value", "low", "high"])


# Answers in dialogues: the share that people find right, apart from those about which they cannot tell.

_DISTANCES = ("1", "2–3", "4–6", "7–10")
_DIALOGUE_COLUMNS = ("language", "by", "group", "questions", "verdicts", "annotators", "cannot_tell")


def dialogue_answers(judged: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Return a row for each language, and in it for each kind of question, dependence and distance.

    Columns: ``language``; the ``group`` and what it is grouped ``by``, for a whole language ``all``; the numbers of
    ``questions``, ``verdicts`` and ``annotators``; the share of verdicts that ``cannot_tell``; the share of the others
    that are right, ``value``, with its interval ``low`` to ``high``.
    """
    far = pd.cut(judged["distance"].astype(float), [0, 1, 3, 6, np.inf], labels=_DISTANCES).astype(object)
    known = {"right": judged["verdict"] == "right", "unclear": judged["verdict"] == "cannot_tell"}
    groups = judged.assign(all="", distance=far, **known).melt(
        ["language", "item", "text", "annotator", *known], ["all", *_JUDGED[-3:]], "by", "group"
    )
    rows = []
    for about, of in groups.dropna().groupby(["language", "by", "group"]):
        counts = (of.groupby(["item", "text"]).ngroups, len(of), of["annotator"].nunique(), of["unclear"].mean())
        rows.append((*about, *counts, *_share(of[~of["unclear"]], "right", seed)))
    return pd.DataFrame(rows, columns=[*_DIALOGUE_COLUMNS, "value", "low", "high"])


# Texts against a model: how many fool it, by how many people find the target, and how the model fares on those.

_OF_MODEL = ("rank", "language_rank", "val_unseen")
EXPERTS = 2  # people with the most answers about verified texts, as in the paper
FOOLING_COLUMNS = (
    *("language", "guide", "texts", "annotators", "attempts", "minutes", "rank", "language_rank"),
    *("fooled", "language_fooled", "decided", "verified", "fooled_and_verified", "model_right", "val_unseen"),
    *("finds", "expert_finds", "experts_right"),
)


def fooling(living: Sequence[Event], seed: int = 0) -> pd.DataFrame:
    """Return a row for each language and guide of the texts against a model, and for a whole language without a guide.

    Columns: ``language``, ``guide``; the numbers of ``texts`` and ``annotators``, mean ``attempts`` and ``minutes``;
    the target's mean ``rank`` and the share ``fooled`` of those that the model ranked, and the same for the retriever
    without the current picture; the number ``decided`` by others, and the share of these that is ``verified`` or
    ``fooled_and_verified``; on verified texts the model's share of right answers, and ``val_unseen``, that of the same
    models by their own evaluation; the number of ``finds``, and the share of right ones, ``value``, with its interval
    ``low`` to ``high``. ``expert_finds`` are answers about texts that others had verified, of the ``EXPERTS`` people
    who gave the most, and ``experts_right`` their share of right ones. Items that the owner dropped are left out.
    """
    aside = flagged_items(living)
    living = [event for event in living if event.item not in aside]
    right, spoiled = finds(living), _flagged(living, TARGET_SEEN)
    texts = pd.DataFrame(
        [
            (
                e.id,
                e.language,
                one.guide,
                e.annotator,
                one.attempts,
                one.seconds / 60,
                *of_model,
                is_verified(right[e.id]),
            )
            for e in living
            if isinstance(one := e.payload, Fooling)
            for of_model in ([number or np.nan for number in (one.rank, one.language_rank, one.val_unseen)],)
        ],
        columns=["of", *("language", "guide", "annotator", "attempts", "minutes"), *_OF_MODEL, "verified"],
    )
    found = pd.DataFrame(
        [
            (e.payload.text, e.annotator, e.payload.correct)
            for e in living
            if isinstance(e.payload, FindTarget) and e.id not in spoiled
        ],
        columns=["of", "finder", "correct"],
    )
    found["place"] = found.groupby("of").cumcount()
    first = found[found["correct"].astype(bool)].groupby("of")["place"].min()
    later = found[found["place"] > found["of"].map(first)]
    groups = pd.concat([texts.assign(guide=""), texts], ignore_index=True)
    rows = []
    for about, of in groups.groupby(["language", "guide"]):
        decided = of[of["verified"].notna()]
        verified = decided[decided["verified"].astype(bool)]
        shares = (len(verified) / (len(decided) or np.nan), (verified["rank"] > 1).sum() / (len(decided) or np.nan))
        counts = (len(of), of["annotator"].nunique(), of["attempts"].mean(), of["minutes"].mean())
        ranks = [of[name].mean() for name in _OF_MODEL[:2]]
        fooled = [(of[name].dropna() > 1).mean() for name in _OF_MODEL[:2]]
        of_model = (verified["rank"].dropna() == 1).mean(), verified["val_unseen"].mean()
        choices = found.merge(of[["of"]], on="of").rename(columns={"finder": "annotator"})
        again = later.merge(verified[["of"]], on="of")
        again = again[again["finder"].isin(again["finder"].value_counts().index[:EXPERTS])]
        people = (len(choices), len(again), again["correct"].astype(float).mean(), *_share(choices, "correct", seed))
        rows.append((*about, *counts, *ranks, *fooled, len(decided), *shares, *of_model, *people))
    return pd.DataFrame(rows, columns=[*FOOLING_COLUMNS, "value", "low", "high"])


# Agreement of annotators beyond chance: Krippendorff's alpha and Fleiss' kappa, with words for their values.
#
# Both use a table of counts (units, values): the number of people who gave a unit that value. Alpha accepts any
# number of answers per unit and orders the values: a 4 is nearer to a 3 than to a 1. Kappa only compares same
# and different.

Counts = NDArray[np.int64]
Level = Literal["nominal", "ordinal"]
Reading = Literal["reliable", "tentative", "unreliable", "chance", "unknown"]

SCORES = (1, 2, 3, 4)
FEW_UNITS = 20  # with fewer units a coefficient says little

# Landis and Koch (1977).
KAPPA_WORDS = (
    (0.8, "almost perfect"),
    (0.6, "substantial"),
    (0.4, "moderate"),
    (0.2, "fair"),
    (0.0, "slight"),
)
_AGREEMENT_COLUMNS = (
    "about",
    "language",
    "level",
    "units",
    "answers",
    "same",
    "alpha",
    "kappa",
    "reading",
    "kappa_word",
)


def agreements(votes: pd.DataFrame, ratings: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """Return the agreement on votes (relevance, fluency), ratings (scores) and answers in dialogues (right or wrong).

    Columns: ``about``, ``language``, ``level``; the number of ``units`` that at least two people answered, and of
    their ``answers``; ``same``, the share of agreeing pairs of answers to the same unit; ``alpha`` and ``kappa``
    with their ``reading`` and ``kappa_word``.
    """
    rows = []
    for language, cast in votes[votes["annotator"] != NOBODY].groupby("language", sort=False):
        for question in QUESTIONS:
            best = cast.pivot(index=["item", "vote"], columns="model", values=question).gt(0)  # noqa: PD010
            choice = best.groupby(list(best)).ngroup()
            counts = choice.groupby(["item", choice]).size().unstack(fill_value=0)  # noqa: PD010
            rows.append((question, language, *_agreement(counts.to_numpy(), "nominal")))
    of_texts: tuple[tuple[str, pd.DataFrame, str, Sequence[object], Level], ...] = (
        ("rating", ratings, "score", SCORES, "ordinal"),
        ("dialogue_judged", judged, "verdict", ("right", "wrong"), "nominal"),
    )
    for about, table, column, values, level in of_texts:
        for language, given in table.groupby("language", sort=False):
            answers = given.groupby(["item", "text", column]).size().unstack(fill_value=0)  # noqa: PD010
            counts = answers.reindex(columns=list(values), fill_value=0)
            rows.append((about, language, *_agreement(counts.to_numpy(), level)))
    return pd.DataFrame(rows, columns=_AGREEMENT_COLUMNS).astype({"same": float, "alpha": float, "kappa": float})


def reading(alpha: float | None) -> Reading:
    """Return the reading of alpha by Krippendorff, Content Analysis (2018), chapter 12."""
    if alpha is None:
        return "unknown"
    if alpha <= 0:
        return "chance"
    return "reliable" if alpha >= 0.8 else "tentative" if alpha >= 0.667 else "unreliable"  # noqa: PLR2004


def kappa_word(kappa: float | None) -> str:
    """Return Landis and Koch's word for kappa; empty if kappa is None."""
    if kappa is None:
        return ""
    return next((word for least, word in KAPPA_WORDS if kappa > least), "poor")


def krippendorff_alpha(counts: Counts, level: Level) -> float | None:
    """Return alpha of (units, values) with ordered values; None without two comparable answers and two values.

    Krippendorff (2011), "Computing Krippendorff's alpha-reliability".
    """
    pairable = counts[counts.sum(axis=1) > 1]
    if np.count_nonzero(pairable.sum(axis=0)) < 2:  # noqa: PLR2004  disagreement needs two values
        return None
    return float(krippendorffs(value_counts=pairable, level_of_measurement=level))


def fleiss_kappa(counts: Counts) -> float | None:
    """Return kappa of (units, values), Fleiss (1971); None in the same cases as alpha.

    Units may have different numbers of answers. As in Fleiss, each unit has the same weight, and chance is that
    of all answers.
    """
    pairable = counts[counts.sum(axis=1) > 1]
    if np.count_nonzero(pairable.sum(axis=0)) < 2:  # noqa: PLR2004
        return None
    by_chance = float(((pairable.sum(axis=0) / pairable.sum()) ** 2).sum())
    return float((_agreeing_shares(pairable).mean() - by_chance) / (1 - by_chance))


def _agreeing_shares(pairable: Counts) -> NDArray[np.float64]:
    """Return for each unit the share of its pairs of answers that agree."""
    answers = pairable.sum(axis=1)
    return np.asarray((pairable * (pairable - 1)).sum(axis=1) / (answers * (answers - 1)))


def _agreement(counts: Counts, level: Level) -> tuple[object, ...]:
    """Return the columns of :func:`agreements` from ``level`` on."""
    pairable = counts[counts.sum(axis=1) > 1]
    same = float(_agreeing_shares(pairable).mean()) if len(pairable) else None
    alpha, kappa = krippendorff_alpha(counts, level), fleiss_kappa(counts)
    return level, len(pairable), int(pairable.sum()), same, alpha, kappa, reading(alpha), kappa_word(kappa)

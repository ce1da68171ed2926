"""Java tools of pycocoevalcap: the PTB tokeniser and METEOR, with a check for missing parts.

A tokeniser without Java is here too. The released evaluation tokenises texts before BLEU, CIDEr, METEOR and ROUGE-L.
METEOR 1.5 (Denkowski and Lavie, 2014) is called with ``-l en -norm`` for English, where the corpus score counts, and
with ``-l other`` for Hindi, where the mean of the instances counts. Its jar matches the words; the score is computed
here from its counts.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np

from fmp_models.languages import canonical
from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngrams import number
from fmp_models.pose import Array

PTB_JAR = "tokenizer/stanford-corenlp-3.4.1.jar"
METEOR_JAR = "meteor/meteor-1.5.jar"
METEOR_PARAPHRASES = "meteor/data/paraphrase-en.gz"

# Both jars start in seconds and process 100 lines a second, unless a text repeats one word hundreds of times. On a
# machine that trains a model at the same time, they have taken twenty times as long.
_START_S = 60.0
_LINE_S = 0.5

# All characters that either jar treats as a line end.
_LINE_END = re.compile("[\n\r\x0b\x0c\u2028\u2029]")

# The jars otherwise use the machine's encoding and locale: in Turkish, I is not a capital i.
_LOCALE = ("-Dfile.encoding=UTF-8", "-Duser.language=en")


class JavaFailedError(Exception):
    """Java or a jar is missing, crashed, timed out or gave unexpected output; the message is one sentence."""


def java_missing() -> str | None:
    """Return what METEOR and the PTB tokeniser lack on this machine, as a sentence; ``None`` if nothing is missing."""
    java = shutil.which("java")
    if java is None:
        return "Java is not installed."
    if not _starts(java):
        return f"The Java at {java} does not start."
    if _folder() is None:
        return "pycocoevalcap is not installed."
    for name in (PTB_JAR, METEOR_JAR, METEOR_PARAPHRASES):
        if not path_of(name).is_file():
            return f"pycocoevalcap has no file {name}."
    return None


def path_of(name: str) -> Path:
    """Return the path of a file of pycocoevalcap, such as ``METEOR_JAR``; raise ``JavaFailedError`` if it is absent."""
    folder = _folder()
    if folder is None:
        complaint = "pycocoevalcap is not installed."
        raise JavaFailedError(complaint)
    return folder / name


def run_jar(
    jar: str, arguments: Sequence[str], lines: Sequence[str], *, seconds: float | None = None, heap: str | None = None
) -> list[str]:
    """Run a class of a jar on ``lines`` and return one output line for each.

    ``arguments`` begin with the class; ``heap`` is a size such as ``2G``. A line end inside a line becomes a space,
    so that each line gives one output line. ``seconds`` is the timeout; by default it grows with the number of lines.
    Raises ``JavaFailedError`` if Java is missing or fails.
    """
    complaint = java_missing()
    if complaint is not None:
        raise JavaFailedError(complaint)
    memory = [f"-Xmx{heap}"] if heap else []
    command = ["java", *memory, *_LOCALE, "-cp", str(path_of(jar)), *arguments]
    limit = _START_S + _LINE_S * len(lines) if seconds is None else seconds
    lines_sent = "".join(_LINE_END.sub(" ", line) + "\n" for line in lines)
    try:
        process = subprocess.run(  # noqa: S603  a fixed program; texts are passed through its standard input only
            command,
            # A lone surrogate cannot be encoded as UTF-8; it becomes a question mark.
            input=lines_sent.encode("utf-8", "replace"),
            capture_output=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        slow = f"Java did not finish {Path(jar).name} within {limit:g} seconds."
        raise JavaFailedError(slow) from error
    except OSError as error:
        refused = f"Java could not be started: {error.strerror}."
        raise JavaFailedError(refused) from error
    if process.returncode != 0:
        stopped = f"Java stopped in {Path(jar).name}: {_reason(process)}."
        raise JavaFailedError(stopped)
    answers = process.stdout.decode("utf-8", "replace").split("\n")[:-1]
    if len(answers) != len(lines):
        uneven = f"Java answered {len(answers)} lines to {len(lines)} in {Path(jar).name}: {_reason(process)}."
        raise JavaFailedError(uneven)
    return [answer.rstrip("\r") for answer in answers]


def _folder() -> Path | None:
    """Return the folder of pycocoevalcap, a package without an ``__init__.py``, or None if it is not installed."""
    spec = find_spec("pycocoevalcap")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


@cache
def _starts(java: str) -> bool:
    """Return whether this Java runs: macOS has a ``java`` that only offers to install one."""
    try:
        probe = subprocess.run([java, "-version"], capture_output=True, timeout=60, check=False)  # noqa: S603  Java's path
    except (OSError, subprocess.TimeoutExpired):
        return False
    return probe.returncode == 0


def _reason(process: subprocess.CompletedProcess[bytes]) -> str:
    """Return the line of Java's error output that names the error, else the last line, else the exit status."""
    complaints = [line.strip() for line in process.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    error_lines = [line for line in complaints if "Error" in line or "Exception" in line]
    return next(iter(error_lines or complaints[-1:]), f"exit status {process.returncode}").rstrip(".")


Tokeniser = Literal["ptb", "regex"]

# The released list. It also has brackets such as -LRB-, which never match, because tokens are lower-cased first.
_DROPPED = frozenset(["''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"])

# Characters of words besides letters and digits: accents, and the vowel signs and nasals of Devanagari.
_SIGNS = "\u0300-\u036f\u0900-\u0903\u093c\u093e-\u094e\u0951-\u0955\u0962\u0963"

# The order of the alternatives emulates the longest match of the Stanford lexer.
_TOKEN = re.compile(
    rf"""
    (?: [^\W\d_](?:\.[^\W\d_])*+ | ave | dept | dr | etc | ft | mrs? | ms | mt | st | vs )  # t.v. keeps its last stop
        \.(?![\w{_SIGNS}])
  | [a-z\d]+(?:-[a-z]+){{0,2}}(?:/[a-z\d]+(?:-[a-z]+){{0,2}}){{1,2}}                 # left/right
  | [^\W_](?:[^\W_]|[.,]){{0,100}}(?:[-_][^\W_]+)+                                   # mid-section, but एक-द ूसरे
  | can(?=not\b) | gon(?=na\b) | got(?=ta\b) | wan(?=na\b) | lem(?=me\b) | gim(?=me\b)
  | [^\W\d_]*?[^\W\d_n](?=n['’]t) | n['’]t(?!\w) | ['’](?:s|m|d|re|ve|ll)(?!\w)      # do n't, it 's
  | [dol]['’][^\W_]+                                                                 # o'clock
  | [-+]?\d*(?:[.,:]\d+)+ | [-+]\d+ | \d[^\W_]*                                      # -1.5, 1pm
  | [\w{_SIGNS}]+(?:[.!?](?!\d)[\w{_SIGNS}]+)*(?:\.(?=[,;:]))?                       # floor.the
  | [!?]+ | \.\.+
  | [^\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U00010000-\U0010ffff]
    """,
    re.VERBOSE,
)

# Typographic marks that the lexer maps to dropped tokens, and brackets as it writes them.
_MARKS = frozenset('"“”‘–—…')
_BRACKETS = dict(zip("()[]{}", ["-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-"], strict=True))


def tokenise(texts: Sequence[str], tokeniser: Tokeniser) -> list[list[str]]:
    """Return the lower-cased tokens of each text, without most punctuation; the danda is kept.

    ``ptb`` is the tokeniser of the released scripts (pycocoevalcap's PTBTokenizer, Stanford CoreNLP 3.4.1); Java
    starts once for all texts; raises ``JavaFailedError`` if it fails. ``regex`` needs no Java and gives the same
    tokens for all 1,686 published descriptions of val-seen in each language. Texts are made ``canonical`` first,
    which changes no token of these; joiners stay and split words as in the released scripts. ``regex`` differs for a
    full stop after an abbreviation where a sentence ends ("2 m. The": m), rarer abbreviations ("fig. 3"), fractions
    after a space ("1 1/2"), web addresses, mentions and mark-up, currency signs, and contractions at the start
    ("'tis").
    """
    texts = [canonical(text, joiners=True) for text in texts]
    if tokeniser == "regex":
        return [_by_regex(text) for text in texts]
    if not texts:
        return []
    lines = run_jar(
        PTB_JAR,
        ["edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase", "-encoding", "UTF-8"],
        texts,
    )
    return [[token for token in line.split(" ") if token and token not in _DROPPED] for line in lines]


def _by_regex(text: str) -> list[str]:
    kept_tokens = (token.replace("’", "'") for token in _TOKEN.findall(text.lower()) if token not in _MARKS)
    return [
        _BRACKETS.get(token, token) for token in kept_tokens if token not in _DROPPED and not token.startswith("..")
    ]


# The order of the jar's numbers: four lengths, four numbers for each matcher, then these.
_PREDICTION, _REFERENCE, _PREDICTION_FUNCTION, _REFERENCE_FUNCTION = range(4)
_MATCHES = slice(4, 20)
_CHUNKS, _PREDICTION_MATCHED, _REFERENCE_MATCHED = 20, 21, 22
_WIDTH = 23


@dataclass(frozen=True)
class _Parameters:
    """The jar's parameters for a language; ``matchers`` weighs exact, stem, synonym and paraphrase matches."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    matchers: tuple[float, float, float, float]


# The jar's parameters for English, tuned for ranking translations, and for languages that it does not know.
_ENGLISH = _Parameters(alpha=0.85, beta=0.2, gamma=0.6, delta=0.75, matchers=(1.0, 0.6, 0.8, 0.6))
_OTHER = _Parameters(alpha=0.75, beta=1.4, gamma=0.7, delta=0.5, matchers=(1.0, 0.5, 0.5, 0.5))


def meteor(
    predictions: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]], language: str
) -> Measurement:
    """Return METEOR of tokenised texts; each instance is scored with the reference that gives the highest score.

    For English ``statistics`` are the jar's 23 numbers of each instance, and the value of a sample follows from their
    sum; for other languages the value is the mean. An instance without words scores 0. Raises ValueError if there is
    no instance, if an instance has no references, or if lengths differ; ``JavaFailedError`` if Java or the jar fails.
    """
    number(predictions, references)  # raises for the same input as the other metrics
    english = language == "en"
    # The jar finds the paraphrases itself, except in a folder with a space in its path.
    options = ["-l", "en", "-norm", "-a", str(path_of(METEOR_PARAPHRASES))] if english else ["-l", "other"]
    questions = [_question(*texts) for texts in zip(predictions, references, strict=True)]
    counts = _read(run_jar(METEOR_JAR, ["Meteor", "-", "-", "-stdio", *options], questions, heap="2G"))
    if english:
        score = partial(_score, _ENGLISH)
        return Measurement(score(counts), counts, score)
    return Measurement.mean(_score(_OTHER, counts))


def _question(prediction: Sequence[str], references: Sequence[Sequence[str]]) -> str:
    """Return the jar's input line for one instance; texts cannot add separators to it."""
    return " ||| ".join(["SCORE", *(" ".join(tokens).replace("|||", "") for tokens in [*references, prediction])])


def _read(answers: Sequence[str]) -> Array:
    """Return the jar's numbers (n, 23), with the chunk count set to 0 where prediction and reference are identical."""
    try:
        counts = np.array([answer.split() for answer in answers], dtype=np.float64).reshape(len(answers), _WIDTH)
    except ValueError as error:
        odd = next((answer for answer in answers if len(answer.split()) != _WIDTH), answers[0])
        strange = f"METEOR's jar did not return {_WIDTH} numbers: {odd}."
        raise JavaFailedError(strange) from error
    matches = counts[:, _MATCHES].reshape(-1, 8, 2).sum(axis=1)
    whole = (matches == counts[:, [_PREDICTION, _REFERENCE]]).all(axis=1) & (counts[:, _CHUNKS] == 1)
    counts[whole, _CHUNKS] = 0
    return counts


def _score(parameters: _Parameters, counts: Array) -> Array:
    """Return METEOR (...) of the jar's numbers (..., 23), of one instance or summed: Denkowski and Lavie, section 2.

    Precision and recall weigh content words by delta and function words by 1 - delta.
    """
    kinds = np.array([parameters.delta, 1 - parameters.delta])
    # Axes: matcher, content or function words, prediction or reference.
    matches = counts[..., _MATCHES].reshape(*counts.shape[:-1], 4, 2, 2)
    matched = np.einsum("...mkt,m,k->...t", matches, np.array(parameters.matchers), kinds)
    function_words = counts[..., [_PREDICTION_FUNCTION, _REFERENCE_FUNCTION]]
    content_words = counts[..., [_PREDICTION, _REFERENCE]] - function_words
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = matched / (kinds[0] * content_words + kinds[1] * function_words)
        mean = 1 / ((1 - parameters.alpha) / shares[..., 0] + parameters.alpha / shares[..., 1])
        fragmentation = 2 * counts[..., _CHUNKS] / (counts[..., _PREDICTION_MATCHED] + counts[..., _REFERENCE_MATCHED])
        score = mean * (1 - parameters.gamma * fragmentation**parameters.beta)
    return np.asarray(np.maximum(np.nan_to_num(score, nan=0.0), 0.0))

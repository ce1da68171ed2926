"""Errors with a code that an interface can translate, and an English sentence that says what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fmp_models.common import PHOTO_SENTENCES, CodedError

# Errors that visitors of the page can see; the tabs have them in both languages.
SENTENCES: dict[str, str] = {
    "text_too_long": "This text is longer than {limit} characters; please shorten it.",
    "text_missing": "Please write something first: the text is empty.",
    "answer_malformed": "This answer cannot be read ({field}); please reload the page.",
    "answer_changed_elsewhere": "This answer was changed or taken back elsewhere; please reload the page.",
    "answer_of_another": "Another person gave this answer, so it cannot be changed here.",
    "answer_twice": "The first version of this answer was saved; please undo it to change it.",
    "picture_not_jpeg": "This photograph was not prepared as a JPEG; please choose it again.",
    "picture_too_large": "This photograph is larger than {limit_mb} MB; please give a smaller one.",
    **PHOTO_SENTENCES,
    "faces_unmarked": "No face was found in this photograph; please draw a box over every head.",
    "faces_too_many": "More than {limit} faces are marked; please give a photograph with fewer people.",
    "face_box_unusable": "Please draw the box on the photograph, at least {limit_px} pixels wide and high.",
    "faces_unapproved": "Please look at both photographs and tick that no face can be recognised.",
    "photo_nobody": "No person was found in this photograph; please show the whole body, well lit.",
    "photo_body_hidden": "Too little of the body is visible; please show it from head to feet.",
    "photo_several_people": "{people} people were found in this photograph; please be alone in it.",
    "photo_person_small": (
        "The person takes up less than {limit_percent} % of the photograph's longer side; please come closer."
    ),
    "photo_pose_far": "The average joint is {apart_cm} cm from the pose to re-enact; please come within {limit_cm}.",
    "photo_pose_other": "This is closer to the other pose of the pair; please re-enact the pose shown next to it.",
    "photo_pose_mirrored": "This is the mirror image of the pose; please swap left and right.",
    "photo_gone": "This photograph is no longer stored; please choose it again.",
    "photo_twice": "Both photographs are the same; please take one of each pose.",
    "photo_busy": "Many photographs are being processed right now; please try again in a moment.",
    "photo_another": "Another photograph of yours is still being processed; please give this one afterwards.",
    "store_read_only": "Nothing can be saved at the moment: {reason} Please come back later.",
    "store_full": "The disk is full, so this answer was not saved; please tell the owner and try again.",
    "store_unwritable": "This answer was not saved, because the store cannot be written; please tell the owner.",
    "store_busy": "The store did not respond in time, so this was not saved; please try again.",
    "store_away": "The answers cannot be reached right now, so nothing can be saved; please try again shortly.",
    "login_needed": "Please log in with your Hugging Face account first.",
    "participant_unusable": (
        "The link has an invalid id: only letters, digits and the characters . _ @ + ~ - are "
        "allowed, at most {limit}; please open the link of the study again."
    ),
    "participant_other": (
        "This account already takes part as another participant; please open the link of the study in a browser, "
        "or with an account, that was not used here before."
    ),
    "guest_unknown": "This browser no longer has your guest id; please reload the page.",
    "too_fast": "Too many requests; please wait {seconds} seconds.",
    "proof_needed": "Many people are joining right now; please reload the page and wait a moment.",
    "download_too_large": "There are too many answers to download from the page; please use python -m annotate export.",
    "owners_only": (
        "Only the owners of this app may see this; if it is yours, open the address that it printed at its "
        "start, or log in."
    ),
    "kind_not_asked": "This kind of task is not open at the moment; please choose another one.",
    "language_not_asked": "There are no tasks in this language at the moment; please choose another one.",
    "consent_missing": "Please agree to the terms first.",
    "study_not_open": "The study has no task for you now; please open its start page.",
    "number_outside": "Please give a number from {least} to {most}.",
    "not_qualified": "Please pass the short test first.",
    "no_tries_left": "The test cannot be taken again; please tell the owner if you think that is wrong.",
    "step_unknown": "This app cannot confirm that it gave this step; please ask for the correction again.",
    "task_unknown": "This task is not assigned to you or no longer exists; please take the next one.",
    "task_expired": "Others have answered this in the meantime; please take the next one.",
    "answers_rejected": "The owner of this study has rejected your answers: {reason}",
    "model_busy": "The model is busy; your text can be given all the same.",
    "votes_left": "You can see which model wrote which text after your last vote; please vote on the rest first.",
    "votes_over": "You have seen which model wrote which text, so your votes are final.",
    "edits_unfit": "These edits do not lead from this text to yours; please undo them and edit the text again.",
    "question_open": "Please answer every question that is not optional, and at least one.",
    "rules_broken": "This text breaks a writing rule ({rules}); please change it.",
}

# Errors that only owners can see, on the command line or when the app starts.
OWNER_SENTENCES: dict[str, str] = {
    "store_closed": "The store is closed; please start the app again.",
    "store_damaged": "The store “{path}” is damaged or not an SQLite database; please restore a copy or move it away.",
    "store_locked": "Another program has locked the store “{path}”; please stop that program and try again.",
    "store_foreign": "“{path}” has a table “{table}” of another program; please choose a separate path for the store.",
    "database_unwritable": "The database user may not create and write tables ({reason}).",
    "store_missing": "There is no store at “{path}”; please check the path.",
    "store_folder_unusable": "The folder “{path}” for the store cannot be created or written; please check it.",
    "store_unreachable": "The database does not answer ({reason}); please check FMP_DATABASE_URL and the server.",
    "store_url_unusable": (
        "This is not the address of a PostgreSQL database; an example is postgresql://user@host/name."
    ),
    "store_driver_missing": "PostgreSQL needs the package psycopg; please install it: pip install 'psycopg[binary]'.",
    "store_other_version": "The store was created by another version of this program ({found}, not {known}).",
    "store_on_network": (
        "SQLite may lose answers on a network file system ({kind} at “{path}”); "
        "please keep the store on a local disk or set FMP_DATABASE_URL to a PostgreSQL database."
    ),
    "event_malformed": "A record cannot be read ({field}).",
    "event_version": "A record of kind “{kind}” has version {found}, this program reads up to {known}; please update.",
    "import_failed": "The published answers could not be restored: {reason}.",
    "space_forgets": (
        "This Space has no permanent disk; please set FMP_DATASET_REPO or FMP_DATABASE_URL, and FMP_PSEUDONYM_KEY."
    ),
    "import_running": "The published answers are being restored; this takes a moment.",
    "shard_unreadable": "The published file “{path}” is damaged or not from this program; please restore or remove it.",
    "publish_failed": "Publishing to “{target}” has not succeeded yet: {reason}.",
    "publish_refused": (
        "The Hub does not let this app write to “{target}”; please set HF_TOKEN to a token with write access."
    ),
    "participants_encrypted": (
        "The ids of participants ({count}) are encrypted by another pseudonym key; please set FMP_PSEUDONYM_KEY to the "
        "key that was set when they came."
    ),
    "participants_lost": (
        "The ids of participants ({count}) will be lost with the disk, because “{target}” is public; please make it "
        "private or set FMP_DATABASE_URL."
    ),
    "publish_elsewhere": "Another process is publishing from this store right now; please try again in a few minutes.",
    "repo_name_malformed": "“{repo}” is not the name of a dataset; an example is org/name.",
    "folder_unusable": "The folder “{path}” cannot be written or read; please check the path and its permissions.",
    "file_there": "The file “{path}” already exists; please choose a new name.",
    "folder_not_empty": "The folder “{path}” is not empty; please name a new one.",
    "person_unknown": "“{person}” does not begin the pseudonym of exactly one person with answers in “{campaign}”.",
    "pair_unknown": "The campaign “{campaign}” has no pair “{uid}”; please check it in the report.",
    "unknown_kind": "“{kind}” is not a kind of record; please choose one of: {known}.",
    "key_unusable": (
        "The pseudonym key in “{path}” is damaged; please restore it from a copy, because another key would "
        "change every pseudonym."
    ),
    "disk_full": "The disk of “{path}” is full; please free some space and try again.",
    "disk_read_only": "The disk of “{path}” is read-only; please make it writable and try again.",
    "disk_forbidden": "This user may not read or write “{path}”; please change its permissions and try again.",
    "disk_failed": "“{path}” cannot be read or written ({reason}); please check the disk and try again.",
    "home_unknown": "The path “{path}” starts with the home folder of a user that this machine does not know.",
    "campaign_missing": "There is no campaign at “{path}”; please check the path or create one with campaign new.",
    "campaign_not_on_hub": (
        "“{name}” is neither a folder here nor a readable dataset on the Hub; please check the name and the token."
    ),
    "campaign_unreachable": ("“{name}” is not on this machine, and the Hub cannot be reached; please try again later."),
    "campaign_too_large": "“{path}” is larger than {limit_mb} MB; please use fewer items or splits in one campaign.",
    "campaign_malformed": "The campaign “{path}” cannot be used: {reason}.",
    "campaign_picture": (
        "The picture “{path}” of the campaign is missing, not a JPEG or too large; please create it again."
    ),
    "campaign_there": "The folder “{path}” is not empty; please name a new one.",
    "dataset_unusable": "The dataset “{path}” cannot be used: {reason}.",
    "dataset_too_small": "The dataset “{path}” has {lacking}; please lower {lower}, or name more splits.",
    "texts_unusable": "The texts “{path}” cannot be used: {reason}; they should be one JSON object such as {example}.",
    "texts_folder_empty": "The folder “{path}” has no texts; evaluate --out writes {example} into it.",
    "texts_lacking": (
        "The texts of “{source}” in “{language}” have none for the pair “{uid}”; please give the whole split."
    ),
    "guidelines_unusable": (
        'The guidelines “{path}” cannot be used: {reason}; the format is [[write]] followed by en = "…".'
    ),
    "study_unusable": "The study “{path}” cannot be used: {reason}; docs/annotation.md shows a complete one.",
    "items_unusable": (
        'The items “{path}” cannot be used: {reason}; a line is such as {{"id": "a", "pictures": ["a.jpg", "b.jpg"]}}.'
    ),
    "questions_unusable": (
        'The questions “{path}” cannot be used: {reason}; the format is [[question]] followed by id = "…", '
        'kind = "scale" and text.en = "…".'
    ),
    "option_malformed": "“{text}” is not valid for {option}; an example is {example}.",
}

# Errors whose details only the owner sees; visitors of the page see ``store_away``.
STORE_AWAY = frozenset({"store_closed", "store_damaged", "store_folder_unusable", "store_unreachable"})

# Errors that people cannot resolve themselves: the page adds whom to ask.
STOPPING = frozenset(
    {
        *("store_read_only", "store_full", "store_unwritable", "store_away", "login_needed", "no_tries_left"),
        *("participant_unusable", "participant_other", "kind_not_asked", "language_not_asked"),
    }
)


class RefusedError(CodedError):
    """A rejected request; ``code`` and ``details`` let an interface show it in its own language."""

    sentences: ClassVar[Mapping[str, str]] = {**SENTENCES, **OWNER_SENTENCES}

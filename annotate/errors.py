"""Errors with a code that an interface can translate, and an English sentence that says what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fmp_models.common.refusals import PHOTO_SENTENCES, CodedError

# Errors that visitors of the page can see; the tabs have them in both languages.
SENTENCES: dict[str, str] = {
    "text_too_long": "This text is longer than {limit} characters; please shorten it.",
    "text_missing": "Please write something first: the text is empty.",
    "answer_malformed": "This answer cannot be used ({field}); please load the page again.",
    "answer_changed_elsewhere": "This answer was changed or taken back elsewhere; please load the page again.",
    "answer_of_another": "This answer was given by somebody else and cannot be changed here.",
    "answer_twice": "The first version was saved, without later changes; please undo it to change it.",
    "picture_not_jpeg": "This photograph was not prepared as a JPEG; please choose it again.",
    "picture_too_large": "This photograph is larger than {limit_mb} MB; please give a smaller one.",
    **PHOTO_SENTENCES,
    "faces_unmarked": "No face was found in this photograph; please draw a box over every head.",
    "faces_too_many": "More than {limit} faces are marked; please give a photograph with fewer people.",
    "face_box_unusable": "Please draw the box on the photograph, at least {limit_px} pixels wide and high.",
    "faces_unapproved": "Please look at both photographs and tick that no face can be recognised.",
    "photo_nobody": "Nobody was found in this photograph; please show the whole body, well lit.",
    "photo_body_hidden": "Too little of the body can be seen; please show it from head to feet.",
    "photo_several_people": "{people} people were found in this photograph; please be alone in it.",
    "photo_person_small": (
        "The person takes up less than {limit_percent} % of the photograph's longer side; please come closer."
    ),
    "photo_pose_far": "The average joint is {apart_cm} cm from the pose to re-enact; please come within {limit_cm}.",
    "photo_pose_other": "This is closer to the other pose of the pair; please re-enact the pose shown next to it.",
    "photo_pose_mirrored": "This is the pose in a mirror; please change left and right.",
    "photo_gone": "This photograph is no longer here; please choose it again.",
    "photo_twice": "Both photographs are the same; please take one of each pose.",
    "photo_busy": "Many photographs are being processed right now; please try again in a moment.",
    "photo_another": "Another photograph of yours is still being processed; please give this one after it.",
    "store_read_only": "Nothing can be saved at the moment: {reason} Please come back later.",
    "store_full": "The disk is full, so this answer was not saved; please tell the owner and try again.",
    "store_unwritable": "This answer was not saved, because the store cannot be written; please tell the owner.",
    "store_busy": "The store did not answer in time, so this was not saved; please try again.",
    "store_away": "The answers cannot be reached right now, so nothing can be saved; please try again shortly.",
    "login_needed": "Please log in with your Hugging Face account first.",
    "participant_unusable": (
        "The link that led here has an invalid participant id: at most {limit} letters, digits and "
        "the signs . _ @ + ~ - are possible; please open the link of the study again."
    ),
    "participant_other": (
        "This account already answers here for another participant; please open the link of the study in a browser, "
        "or with an account, that nobody has used for this."
    ),
    "guest_unknown": "This browser has forgotten who you are; please load the page again.",
    "too_fast": "That was a lot at once; please wait {seconds} seconds.",
    "proof_needed": "Many people are joining right now; please load the page again and wait a moment.",
    "download_too_large": "There are too many answers for the page; please use python -m annotate export.",
    "owners_only": (
        "Only the owners of this app may see that; if it is yours, open the address that it printed at its start, or "
        "log in."
    ),
    "kind_not_asked": "This is not asked here at the moment; please choose another tab.",
    "language_not_asked": "Nothing is asked in this language at the moment; please choose the other one.",
    "consent_missing": "Please agree to the terms first.",
    "not_qualified": "Please pass the short test first.",
    "no_tries_left": "The test cannot be taken again; please tell the owner if you think that is wrong.",
    "step_unknown": "This app cannot confirm that it gave this step; please ask for the correction again.",
    "task_unknown": "This task is not yours or is no longer there; please take the next one.",
    "task_expired": "Others have answered this in the meantime; please take the next one.",
    "votes_left": "You can see which model was which after your last vote; please vote on the rest first.",
    "votes_over": "You have seen which model was which, so your votes are final.",
    "rules_broken": "This text breaks a writing rule ({rules}); please change it.",
}

# Errors that only owners can see, on the command line or when the app starts.
OWNER_SENTENCES: dict[str, str] = {
    "store_closed": "The store is closed; please start the app again.",
    "store_damaged": "The store “{path}” is damaged or not an SQLite database; please restore a copy or move it away.",
    "store_locked": "Another program keeps the store “{path}” locked; please end that program and try again.",
    "store_foreign": "“{path}” has a table “{table}” of another program; please name a path of its own for the store.",
    "database_unwritable": "The database does not let this user make and write tables ({reason}).",
    "store_missing": "There is no store at “{path}”; please check the path.",
    "store_folder_unusable": "The folder “{path}” for the store cannot be made or written; please check it.",
    "store_unreachable": "The database does not answer ({reason}); please check FMP_DATABASE_URL and the server.",
    "store_url_unusable": "This is not the address of a PostgreSQL database; one looks like postgresql://user@host/name.",
    "store_driver_missing": "PostgreSQL needs the package psycopg; please install it: pip install 'psycopg[binary]'.",
    "store_other_version": "The store was made by another version of this program ({found}, not {known}).",
    "store_on_network": (
        "SQLite may lose answers on a network file system ({kind} at “{path}”); "
        "please keep the store on a local disk or set FMP_DATABASE_URL to a PostgreSQL database."
    ),
    "event_malformed": "A record cannot be read ({field}).",
    "event_version": "A record of kind “{kind}” has version {found}, this program reads up to {known}; please update.",
    "import_failed": "The published answers could not be read back: {reason}.",
    "space_forgets": (
        "This Space has no permanent disk; please set FMP_DATASET_REPO or FMP_DATABASE_URL, and FMP_PSEUDONYM_KEY."
    ),
    "import_running": "The published answers are being read back; this takes a moment.",
    "shard_unreadable": "The published file “{path}” is damaged or not from this program; please restore or remove it.",
    "publish_failed": "Publishing to “{target}” has not succeeded yet: {reason}.",
    "publish_refused": "The Hub does not let this app write to “{target}”; please set HF_TOKEN to a token that may.",
    "publish_elsewhere": "Another process is publishing from this store right now; please try again in a few minutes.",
    "repo_name_malformed": "“{repo}” is not the name of a dataset; a name looks like org/name.",
    "folder_unusable": "The folder “{path}” cannot be written or read; please check the path and its permissions.",
    "file_there": "The file “{path}” already exists; please name a new one.",
    "folder_not_empty": "The folder “{path}” is not empty; please name a new one.",
    "unknown_kind": "There is no kind of record “{kind}”; please choose one of: {known}.",
    "key_unusable": (
        "The pseudonym key in “{path}” is damaged; please restore it from a copy, "
        "because another key would give everybody a new identity."
    ),
    "disk_full": "The disk of “{path}” is full; please make room on it and try again.",
    "disk_read_only": "The disk of “{path}” can only be read; please make it writable and try again.",
    "disk_forbidden": "This user may not read or write “{path}”; please change its owner or permissions and try again.",
    "disk_failed": "“{path}” cannot be read or written ({reason}); please check the disk and try again.",
    "home_unknown": "The path “{path}” starts with the home folder of a user that this machine does not know.",
    "campaign_missing": "There is no campaign at “{path}”; please check the path or make one with campaign new.",
    "campaign_too_large": "The campaign “{path}” is larger than {limit_mb} MB; please use fewer items in one campaign.",
    "campaign_malformed": "The campaign “{path}” cannot be used: {reason}.",
    "campaign_picture": (
        "The picture “{path}” of the campaign is missing, not a JPEG or too large; please create it again."
    ),
    "campaign_there": "The folder “{path}” is not empty; please name a new one.",
    "dataset_unusable": "The dataset “{path}” cannot be used: {reason}.",
    "dataset_too_small": "The dataset “{path}” has {lacking}; please lower {lower}, or name more splits.",
    "texts_unusable": "The texts “{path}” cannot be used: {reason}; they should be one JSON object such as {example}.",
    "texts_folder_empty": "The folder “{path}” has no texts; evaluate --out writes {example} into it.",
    "texts_lacking": "The texts of “{source}” in “{language}” lack the pair “{uid}”; please give the whole split.",
    "guidelines_unusable": (
        'The guidelines “{path}” cannot be used: {reason}; they look like [[write]], and below it en = "…".'
    ),
    "option_malformed": "“{text}” cannot be used for {option}; it looks like {example}.",
}

# Errors whose details only the owner sees; visitors of the page see ``store_away``.
STORE_AWAY = frozenset({"store_closed", "store_damaged", "store_folder_unusable", "store_unreachable"})


class RefusedError(CodedError):
    """A rejected request; ``code`` and ``details`` let an interface show it in its own language."""

    sentences: ClassVar[Mapping[str, str]] = {**SENTENCES, **OWNER_SENTENCES}

"""The registry of desks, in the order of the start page; the one place that knows every desk."""

from __future__ import annotations

from annotate.records.api import Kind
from annotate.tabs.forms import find, real_pair, translate, verify, vote, write
from annotate.tabs.forms.task_form import Desk

DESKS: dict[Kind, Desk] = {
    desk.kind: desk for desk in (vote.DESK, write.DESK, verify.DESK, translate.DESK, find.DESK, real_pair.DESK)
}

"""The registry of task forms, in the order of the start page; no other module knows all of them."""

from __future__ import annotations

from annotate.records.api import Kind
from annotate.tabs.forms import find_target, real_pair, translate, verify, vote, write
from annotate.tabs.forms.task_form import TaskForm

TASK_FORMS: dict[Kind, TaskForm] = {
    form.kind: form for form in (vote.FORM, write.FORM, verify.FORM, translate.FORM, find_target.FORM, real_pair.FORM)
}

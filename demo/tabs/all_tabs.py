"""The tabs of the page in their order, and why some of them are closed."""

from __future__ import annotations

from typing import ClassVar, Protocol

from annotate.tabs import AnnotationController
from demo.serving import UploadLedger
from demo.tabs.correct import CorrectTab
from demo.tabs.live import LiveTab
from demo.tabs.retrieve import RetrieveTab
from fmp_models.editing import TextEditor, open_editor
from fmp_models.inference import Corrector, DifferenceCaptioner, TargetFinder


class Tab(Protocol):
    """A tab: its ``name`` in addresses and texts, and the style sheets that it adds to the page."""

    name: ClassVar[str]
    styles: ClassVar[tuple[str, ...]]

    def build(self) -> None:
        """Add the tab's components to the current Blocks context."""


def page_tabs(  # noqa: PLR0913  each is needed by a tab
    corrector: Corrector,
    finder: TargetFinder,
    coach: LiveTab,
    work: AnnotationController,
    ledger: UploadLedger,
    *,
    closed: bool,
    forgets: bool,
    editor: TextEditor | None = None,
    differences: DifferenceCaptioner | None = None,
) -> tuple[list[Tab], dict[str, str]]:
    """Return the tabs, and by name the text keys of the reasons why tabs are closed; see :func:`demo.shell.build`.

    A closed tab is listed, cannot be opened and has no panel.
    """
    feedback = () if forgets else (work.feedback.seal, work.build_feedback)
    correct = CorrectTab(corrector, ledger, editor or open_editor(), differences, *feedback)
    tabs: list[Tab] = [correct, RetrieveTab(finder, ledger), coach, work]
    if closed:
        return tabs, {tab.name: "page.closed" for tab in tabs if tab is not work}
    reasons = {coach.name: None if coach.is_open else "live.closed", work.name: "page.forgets" if forgets else None}
    return tabs, {name: reason for name, reason in reasons.items() if reason}

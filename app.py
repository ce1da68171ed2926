"""The FixMyPose app: read the settings, serve the page, and shut down cleanly on a signal."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from typing import TYPE_CHECKING, NoReturn

from demo.serving import check_port, keep_few_arenas, open_answers, port_in_use
from demo.settings import Settings, SettingsError, read_settings
from fmp_models.common import (
    CodedError,
    end_process,
    let_waiting_threads_sleep,
    log_to_standard_error,
    private_folder,
    write_every_letter,
)

if TYPE_CHECKING:
    from demo.serving import OpenedAnswers
    from fmp_models.editing import TextEditor
    from fmp_models.estimators import PoseEstimator
    from fmp_models.inference import CorrectionModel, DifferenceCaptioner, GallerySearch, Retrievers

_log = logging.getLogger(__name__)


@private_folder()
@log_to_standard_error()
def main() -> int:
    """Serve the page until SIGINT, SIGTERM or SIGHUP; return 2 if a setting or a model cannot be used."""
    write_every_letter()
    keep_few_arenas()
    let_waiting_threads_sleep()
    try:
        settings = read_settings()
        check_port(settings)
        opened = open_answers(settings)  # its imports take a second and the later ones many
    except (SettingsError, CodedError) as error:
        return refuse(str(error))
    try:
        return serve(settings, opened)
    finally:
        opened.store.close()


def serve(settings: Settings, opened: OpenedAnswers) -> int:
    """Load the models, serve the page and return the exit code, as :func:`main` does."""
    try:
        correction_models, retrievers, without, editor, differences = models(settings)
    except SettingsError as error:
        return refuse(str(error))
    from demo import shell  # noqa: PLC0415
    from demo.gradio_parts import on_gpu  # noqa: PLC0415
    from demo.serving import UploadLedger  # noqa: PLC0415
    from demo.tabs import open_annotation, ranker  # noqa: PLC0415
    from fmp_models.errors import BadInputError  # noqa: PLC0415
    from fmp_models.estimators import choose_estimator  # noqa: PLC0415
    from fmp_models.inference import Corrector, TargetFinder  # noqa: PLC0415

    stop = threading.Event()
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        number = getattr(signal, name, None)  # some systems lack some of them
        if number is not None and not (name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN):  # nohup
            signal.signal(number, lambda *_: stop.set())
    try:
        chosen = choose_estimator(settings.pose_model, settings.data_dir / "models")
        ledger = UploadLedger()
        finder = TargetFinder(chosen.estimator, retrievers, on_gpu)
        finder.gallery = opened_gallery(settings, chosen.estimator)
        language_finder = TargetFinder(chosen.estimator, without, on_gpu) if without else None
        rank = ranker(finder, language_finder) if retrievers.installed else None
        annotation = open_annotation(
            settings, opened, chosen.estimator, ledger, [one.name.id for one in correction_models], rank
        )
    except (CodedError, SettingsError) as error:
        return refuse(str(error))
    try:
        corrector = Corrector(chosen.estimator, correction_models, on_gpu, keeps_joints=True)
        page = shell.build(
            corrector,
            finder,
            annotation.controller,
            ledger,
            chosen.lacking,
            closed=settings.close_models,
            forgets=annotation.forgets,
            live_visitors=settings.live_visitors,
            links=settings.links,
            live_browser_visitors=settings.live_browser_visitors,
            models=settings.data_dir / "models",
            editor=editor,
            differences=differences,
        )
        annotation.start()  # before the first answer can arrive
        try:
            page.launch(settings)
        except OSError:
            page.close()
            return refuse(port_in_use(settings))
        for remark in annotation.remarks:
            _log.info(remark)
        sys.stdout.write(f"FixMyPose is ready: {settings.owner_address}\n")
        sys.stdout.flush()
        if not settings.close_models:
            retrievers.load_ahead()  # importing torch takes seconds; neither the page nor the first search waits for it
        while not stop.wait(1):  # Windows delivers a signal only between two waits
            pass
        annotation.publisher.wake()  # publishes while the page closes
        page.close()
    except BadInputError as error:
        return refuse(str(error))
    finally:
        annotation.close()
    return 0


def opened_gallery(settings: Settings, estimator: PoseEstimator) -> GallerySearch | None:
    """Return the search of the configured collection, if any; raise SettingsError if it cannot be used."""
    if not settings.gallery:
        return None
    from fmp_models.errors import BadInputError  # noqa: PLC0415  before torch is
    from fmp_models.inference import BatchOptions, GallerySearch  # noqa: PLC0415  they load torch

    options = BatchOptions(settings.pose_model, settings.data_dir / "models")
    try:
        return GallerySearch(settings.gallery, settings.retriever, options, estimator=estimator)
    except BadInputError as error:
        raise SettingsError(f"FMP_GALLERY cannot be used: {error.sentence}") from error


def models(
    settings: Settings,
) -> tuple[list[CorrectionModel], Retrievers, Retrievers | None, TextEditor, DifferenceCaptioner | None]:
    """Return the models of corrections, searches, searches without the current picture, edits and differences.

    The third and the last are None unless they are configured. Raise SettingsError if a configured one cannot be used.
    """
    from demo.gradio_parts import LENT, on_gpu  # noqa: PLC0415  before torch is
    from fmp_models.editing import open_editor  # noqa: PLC0415
    from fmp_models.errors import BadInputError  # noqa: PLC0415
    from fmp_models.inference import (  # noqa: PLC0415
        DEFAULT_MODEL,
        DifferenceCaptioner,
        available_models,
        load_correction_model,
    )

    name = "FMP_CAPTIONER"
    try:
        chosen = load_correction_model(settings.captioner or DEFAULT_MODEL)
        name = "FMP_RETRIEVER"
        from fmp_models.inference import Retrievers  # noqa: PLC0415

        retrievers = Retrievers(settings.retriever)
        name = "FMP_CAPTIONER"
        chosen.load()
        correction_models = available_models(chosen)
        if LENT:
            for correction_model in correction_models:
                correction_model.load()
        name = "FMP_RETRIEVER"
        if settings.retriever or LENT:
            retrievers.load(every=LENT)
        name = "FMP_LANGUAGE_RETRIEVER"
        without = Retrievers(settings.language_retriever) if settings.language_retriever else None
        if without is not None:
            without.load()
        name = "FMP_EDITOR"
        editor = open_editor(settings.editor, device="cpu" if LENT else None)
        name = "FMP_DIFFERENCE_CAPTIONER"
        captioner = settings.difference_captioner
        differences = DifferenceCaptioner(captioner, on_gpu) if captioner else None
    except BadInputError as error:
        raise SettingsError(f"{name} cannot be used: {error.sentence}") from error
    return correction_models, retrievers, without, editor, differences


def refuse(sentence: str) -> int:
    """Print why the app cannot start and return the exit code 2."""
    _log.error(sentence)
    return 2


def run() -> NoReturn:
    """Run the app and exit the process with its exit code."""
    end_process(main())


if __name__ == "__main__":
    run()

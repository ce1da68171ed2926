"""The desk "Real pair" with real photographs: chosen, examined, painted over, approved, rewritten, kept."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, Route, expect

from annotate.campaigns.campaign import picture_name
from annotate.kinds.real_pair import RealPair
from annotate.records import Withdrawal, new_event
from annotate.storage.store import open_store, store_path
from annotate.tabs.real_pairs import PHOTOGRAPH_TERMS
from demo.i18n import interface_texts
from fmp_models.pose import JOINTS
from tests.annotate.asking import campaign_json, item, text, write
from tests.browser.conftest import CHROMIUM_ARGUMENTS, visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import SOUNDS_NOTED, App, Pictures, running_app
from tests.thoroughness import one_of, thorough

EN = interface_texts()["en"]
SAID = {"en": "Lower both arms and stand straight.", "hi": "दोनों बांहें नीचे करें और सीधे खड़े हों।"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def photograph_app(
    pose_model: Path, pictures: Pictures, data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[App]:
    """Yield an app that asks to re-enact pairs which look like the photographs of the tests."""
    files = [as_jpeg(pictures.warrior), as_jpeg(pictures.standing)]
    texts = [text("reference-1", language, caption, "real_pair") for language, caption in SAID.items()]
    names = [picture_name(file) for file in files]
    items = [item(number, current=names[0], target=names[1], texts=texts) for number in range(6)]
    folder = write(
        tmp_path_factory.mktemp("campaign"), campaign_json(items, kinds=["real_pair"], voices={"real_pair": 40})
    )
    for name, file in zip(names, files, strict=True):
        (folder / "pictures" / name).write_bytes(file)
    with running_app(pose_model, data, tmp_path_factory.mktemp("uploads"), FMP_CAMPAIGN=str(folder)) as running:
        yield running


def as_jpeg(path: Path) -> bytes:
    with Image.open(path) as opened:
        picture = opened.convert("RGB")
    picture.thumbnail((640, 640))
    made = io.BytesIO()
    picture.save(made, "JPEG")
    return made.getvalue()


@pytest.fixture
def open_form(photograph_app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open the page to choose on as somebody new, who agrees to the terms of answers."""
    with visitors(photograph_app, browser) as open_page:

        def open_one(*, language: str = "en", **options: object) -> Page:
            page = open_page(language=language, **options)
            page.evaluate("(code) => localStorage.setItem('fixmypose.work_language', code)", language)
            page.goto(f"{photograph_app.url}/#annotate/real_pair")
            page.locator("#panel-annotate .fmp-start [name=fmp-agree], #panel-annotate .fmp-offers").first.wait_for()
            if page.locator("[name=fmp-agree]").count():
                page.locator("[name=fmp-agree]").check()
                page.locator("[data-action=agree]").click()
            page.locator(".fmp-offers").wait_for()
            return page

        yield open_one


def choose(page: Page) -> None:
    page.locator("[name=fmp-agree-photographs]").check()
    page.locator("[data-action=real-choose]").first.click()
    page.locator(".fmp-real-columns").wait_for()


def column(which: str) -> str:
    return f".fmp-real-column[data-column={which}]"


def give_photograph(page: Page, which: str, path: Path) -> None:
    page.locator(f"{column(which)} input[type=file]").set_input_files(path)


def give_both(page: Page, pictures: Pictures) -> None:
    for which, path in (("current", pictures.warrior), ("target", pictures.standing)):
        give_photograph(page, which, path)
        page.locator(f"{column(which)} .fmp-review").wait_for()


@thorough
@pytest.mark.parametrize(("width", "language", "scheme"), one_of([(1280, "en", "light"), (390, "hi", "dark")], 1))
def test_a_pair_is_re_enacted_and_kept_without_faces(  # noqa: PLR0913, PLR0917  pytest hands in each
    open_form: Callable[..., Page],
    photograph_app: App,
    pictures: Pictures,
    data: Path,
    width: int,
    language: str,
    scheme: str,
) -> None:
    words = interface_texts()[language]
    page = open_form(width=width, language=language, color_scheme=scheme)
    expect(page.locator("[data-action=real-choose]")).to_have_count(3)
    assert findings(page) == []
    page.locator("[data-action=real-choose]").first.click()
    expect(page.locator(".fmp-consent .fmp-lack-said")).to_have_text(words["consent.missing"])
    choose(page)
    assert findings(page) == []

    give_both(page, pictures)
    rewritten = SAID[language].replace("both", "your two").replace("दोनों", "अपनी दोनों")
    page.locator("textarea[name=text]").fill(rewritten)
    expect(page.locator(".fmp-edits ins").first).to_be_visible()
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.locator("[data-action=give]").click()
    for which in ("current", "target"):
        lack = page.locator(f"{column(which)} .fmp-lack-said")
        expect(lack).to_have_text(words[f"real_pair.approve_missing_{which}"])
    expect(page.locator(f"{column('current')} [name=approved]")).to_be_focused()
    assert findings(page) == []
    for box in page.locator("[name=approved]").all():
        box.check()
    token = page.evaluate("window.FMP.work.task.token")
    page.locator("[data-action=give]").click()

    expect(page.locator(".fmp-said-line")).to_have_text(words["annotate.thanks"].format(given=1))
    expect(page.locator(".fmp-offers")).to_be_visible()
    store = open_store(store_path(data))
    stored_event = store.event(token)
    store.close()
    assert stored_event is not None
    lack = stored_event.payload
    assert isinstance(lack, RealPair)
    assert lack.text == rewritten
    assert {operation for operation, _ in lack.edits} >= {"KEEP", "ADD"}
    assert lack.checks["current"]["apart_m"] <= 0.2
    assert len(lack.checks["target"]["joints_m"]) == len(JOINTS)
    pictures_sent = {pictures.warrior.read_bytes(), pictures.standing.read_bytes(), lack.current, lack.target}
    assert not pictures_sent & {path.read_bytes() for path in photograph_app.stored_uploads()}


@thorough
def test_what_does_not_fit_is_refused_where_it_was_given(open_form: Callable[..., Page], pictures: Pictures) -> None:
    page = open_form()
    choose(page)
    alert = page.locator(f"{column('current')} .fmp-photo-alert")

    give_photograph(page, "current", pictures.standing)
    expect(alert).to_have_text(EN["refused.photo_pose_other"])
    give_photograph(page, "current", pictures.two_people)
    expect(alert).to_have_text(EN["refused.photo_several_people"].format(people=2))
    page.locator(f"{column('current')} input[type=file]").set_input_files(
        {"name": "notes.txt", "mimeType": "image/jpeg", "buffer": b"no picture at all"}
    )
    expect(alert).to_have_text(EN["errors.photo_unknown_type"])
    assert findings(page) == []
    give_photograph(page, "current", pictures.warrior)

    page.locator(f"{column('current')} .fmp-review").wait_for()
    expect(alert).to_be_empty()


@thorough
def test_each_photograph_that_is_missing_is_named_in_its_own_column(
    open_form: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_form()
    choose(page)
    give_photograph(page, "target", pictures.standing)
    page.locator(f"{column('target')} .fmp-review").wait_for()

    page.locator("[data-action=give]").click()

    expect(page.locator(f"{column('current')} .fmp-photo-alert")).to_have_text(EN["real_pair.photo_missing_current"])
    expect(page.locator(f"{column('current')} [data-action=choose]")).to_be_focused()
    expect(page.locator(f"{column('target')} .fmp-lack-said")).to_have_text(EN["real_pair.approve_missing_target"])


@thorough
def test_boxes_are_drawn_by_hand_or_by_keys_and_the_strength_is_ones_own(
    open_form: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_form()
    choose(page)
    give_photograph(page, "current", pictures.warrior)
    review = page.locator(f"{column('current')} .fmp-review")
    review.locator("[name=approved]").check()
    first = review.get_attribute("data-photo")

    review.locator("[data-paint=strength]").fill("5")
    expect(review).not_to_have_attribute("data-photo", str(first))
    expect(review.locator("[name=approved]")).not_to_be_checked()
    veil = review.locator(".fmp-veil")
    veil.scroll_into_view_if_needed()
    place = veil.bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 20, place["y"] + 20)
    page.mouse.down()
    page.mouse.move(place["x"] + 90, place["y"] + 80, steps=4)
    page.mouse.up()
    expect(review.locator("[data-action=real-clear]")).to_be_visible()
    review.locator("[data-action=real-clear]").click()
    expect(review.locator("[data-action=real-clear]")).to_have_count(0)

    review.locator("summary").press("Enter")
    review.locator("[data-side=x]").press("ArrowRight")
    review.locator("[data-action=real-box]").press("Enter")
    expect(review.locator("[data-action=real-clear]")).to_be_visible()
    expect(review.locator("[data-paint=strength]")).to_have_value("5")


@thorough
def test_a_reload_brings_back_photographs_and_text(open_form: Callable[..., Page], pictures: Pictures) -> None:
    page = open_form()
    choose(page)
    give_photograph(page, "target", pictures.standing)
    review = page.locator(f"{column('target')} .fmp-review")
    photo = review.get_attribute("data-photo")
    page.locator("textarea[name=text]").fill("Stand up straight.")

    page.reload()
    page.locator(".fmp-real-columns").wait_for()

    expect(review).to_have_attribute("data-photo", str(photo))
    expect(page.locator("textarea[name=text]")).to_have_value("Stand up straight.")
    expect(page.locator(".fmp-edits del").first).to_be_visible()
    page.locator("[data-action=real-put-back]").click()
    page.locator(".fmp-offers").wait_for()
    expect(page.locator("[name=fmp-agree-photographs]")).to_have_count(0)


@thorough
def test_a_pair_is_chosen_in_the_language_of_its_description_whatever_the_page_speaks(
    open_form: Callable[..., Page],
) -> None:
    page = open_form()
    page.evaluate("localStorage.removeItem('fixmypose.work_language')")

    page.locator(".fmp-language[data-language=hi]").click()
    choose(page)

    expect(page.locator("textarea[name=text]")).to_have_value(SAID["en"])
    assert page.evaluate("window.FMP.work.task.language") == "en"


@thorough
def test_terms_that_are_not_agreed_to_any_more_are_agreed_to_over_a_begun_pair(
    open_form: Callable[..., Page], pictures: Pictures, data: Path
) -> None:
    page = open_form()
    choose(page)
    token = page.evaluate("window.FMP.work.task.token")
    take_back_agreement(data)
    page.reload()
    page.locator("[name=fmp-agree-photographs]").wait_for()
    assert page.evaluate("window.FMP.work.task.token") == token
    assert findings(page) == []

    give_photograph(page, "current", pictures.warrior)
    expect(page.locator(f"{column('current')} .fmp-photo-alert")).to_have_text(EN["real_pair.terms_missing"])
    expect(page.locator(".fmp-consent .fmp-lack-said")).to_have_text(EN["consent.missing"])
    expect(page.locator("[name=fmp-agree-photographs]")).to_be_focused()
    page.locator("[name=fmp-agree-photographs]").check()
    give_photograph(page, "current", pictures.warrior)

    page.locator(f"{column('current')} .fmp-review").wait_for()
    expect(page.locator("[name=fmp-agree-photographs]")).to_have_count(0)


def take_back_agreement(data: Path) -> None:
    """As if the last to agree to the terms of photographs had agreed to others."""
    store = open_store(store_path(data))
    agreed = [one for one in store.live(kind="consent") if getattr(one.payload, "wording", None) == PHOTOGRAPH_TERMS]
    last = max(agreed, key=lambda one: one.time)
    store.add(new_event(Withdrawal(of=last.id, reason="undo"), annotator=last.annotator))
    store.close()


@thorough
def test_a_photograph_that_fails_after_its_task_form_was_left_disturbs_nothing(
    open_form: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_form()
    choose(page)
    held: list[Route] = []
    page.route("**/gradio_api/upload**", lambda route: held.append(route))  # noqa: PLW0108  Playwright wraps no builtin
    with page.expect_request("**/gradio_api/upload**"):
        give_photograph(page, "current", pictures.warrior)

    page.locator("[data-action=leave]").click()
    page.locator(".fmp-start").wait_for()
    with page.expect_event("requestfailed"):
        held[0].abort()

    page.locator(".fmp-job [data-action=sit][data-kind=real_pair]").click()
    page.locator(".fmp-real-columns").wait_for()
    expect(page.locator(".fmp-photo-alert").first).to_be_empty()


@pytest.fixture(scope="module")
def before_the_camera(
    browser: Browser, pictures: Pictures, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """Yield a browser whose first camera shows a person standing still, in the pose to re-enact."""
    with Image.open(pictures.warrior) as opened:
        person = opened.convert("RGB")
    person.thumbnail((640, 640))
    standing = io.BytesIO()
    person.resize((person.width // 2 * 2, person.height // 2 * 2)).save(standing, "JPEG")
    film = tmp_path_factory.mktemp("film") / "still.mjpeg"
    film.write_bytes(standing.getvalue() * 30)
    with_film = (*CHROMIUM_ARGUMENTS, f"--use-file-for-fake-video-capture={film}")
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    launched = browser.browser_type.launch(executable_path=executable, args=list(with_film))
    yield launched
    launched.close()


def open_camera(page: Page, which: str = "current") -> None:
    """Open the camera of a column, and note what is said aloud."""
    page.evaluate("window.said = []; document.addEventListener('fmp:spoken', ({ detail }) => window.said.push(detail))")
    page.locator(f"{column(which)} [data-action=camera]").click()
    page.locator(f"{column(which)} .fmp-camera").wait_for()


@thorough
@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")]))
def test_the_pose_stands_beside_the_live_picture_and_the_countdown_is_spoken(
    open_form: Callable[..., Page], width: int, language: str
) -> None:
    page = open_form(width=width, language=language)
    choose(page)

    open_camera(page)
    page.evaluate(SOUNDS_NOTED)

    places = (f"{column('current')} .fmp-like", f"{column('current')} .fmp-video")
    like, live = (page.locator(one).bounding_box() or {} for one in places)
    assert like["x"] + like["width"] <= live["x"] + 1
    assert abs(like["y"] + like["height"] / 2 - live["y"] - live["height"] / 2) < 5
    assert like["width"] > 0.35 * min(width, 900) / 2
    # Whoever follows a picture beside a mirror would take the pose with left and right changed, which is refused.
    turned = "(one) => getComputedStyle(one).transform"
    flips = [page.locator(f"{column('current')} {one}").evaluate(turned) for one in (".fmp-like", "video")]
    assert flips == ["matrix(-1, 0, 0, 1, 0, 0)"] * 2
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator(f"{column('current')} [data-action=take-delayed]").click()
    page.wait_for_function("window.said.includes('1')")
    assert page.evaluate("window.said.slice(0, 5)") == ["5", "4", "3", "2", "1"]
    assert ["speak", "", True] in page.evaluate("window.sounds")  # within the press, before the first number


@thorough
def test_nobody_before_the_camera_is_told_so_and_no_picture_is_taken(open_form: Callable[..., Page]) -> None:
    page = open_form()
    choose(page)
    open_camera(page)
    status = page.locator(f"{column('current')} .fmp-watching")

    page.locator(f"{column('current')} [data-action=watch]").click()

    expect(status).to_have_text(EN["camera.watch_nobody"])
    assert EN["camera.watch_nobody"] in page.evaluate("window.said")
    expect(page.locator(f"{column('current')} .fmp-video")).to_be_visible()
    page.locator(f"{column('current')} [data-action=watch]").click()
    expect(status).to_be_empty()


@thorough
def test_a_person_who_waits_for_a_picture_too_long_is_told_that_nothing_looks_any_longer(
    open_form: Callable[..., Page],
) -> None:
    page = open_form()
    choose(page)
    open_camera(page)
    watch = page.locator(f"{column('current')} [data-action=watch]")
    watch.click()
    expect(page.locator(f"{column('current')} .fmp-watching")).to_have_text(EN["camera.watch_nobody"])

    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 121_000; }")

    expect(page.locator(f"{column('current')} .fmp-watching")).to_have_text(EN["camera.watch_over"])
    expect(watch).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("window.said.at(-1)") == EN["camera.watch_over"]


@thorough
def test_the_picture_takes_itself_once_the_whole_body_is_in_it_and_still(
    photograph_app: App, before_the_camera: Browser
) -> None:
    with visitors(photograph_app, before_the_camera) as open_page:
        page = open_page(language="en")
        page.goto(f"{photograph_app.url}/#annotate/real_pair")
        page.locator("[name=fmp-agree]").check()
        page.locator("#panel-annotate [data-action=agree]").click()
        page.locator(".fmp-offers").wait_for()
        choose(page)
        open_camera(page)

        page.locator(f"{column('current')} [data-action=watch]").click()

        page.locator(f"{column('current')} .fmp-review").wait_for()
        utterances = page.evaluate("window.said")
        assert utterances[-2:] == [EN["camera.watch_still"], EN["camera.watch_taken"]]
        expect(page.locator(f"{column('current')} .fmp-camera")).to_be_hidden()


@thorough
def test_another_camera_is_taken_where_there_is_one_and_each_is_shut_again(open_form: Callable[..., Page]) -> None:
    page = open_form()
    choose(page)
    open_camera(page)
    video = page.locator(f"{column('current')} video")
    camera = "(one) => one.srcObject.getVideoTracks()[0].getSettings().deviceId"
    first = video.evaluate(camera)

    page.locator(f"{column('current')} [data-action=turn-camera]").click()

    page.wait_for_function(
        "([place, first]) => { const [track] = document.querySelector(place).srcObject.getVideoTracks();"
        " return track.readyState === 'live' && track.getSettings().deviceId !== first; }",
        arg=[f"{column('current')} video", first],
    )
    track = video.evaluate_handle("(one) => one.srcObject.getVideoTracks()[0]")
    page.locator(f"{column('current')} [data-action=cancel]").click()
    page.wait_for_function("(track) => track.readyState === 'ended'", arg=track)

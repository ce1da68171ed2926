/* The ranking: shown in the page's language, and scrolled into view when it arrives; its cards can be swiped and enlarged. */
const page = window.FMP;
const shelf = page.kept("retrieve");
const SWIPE = 50; // pixels: minimum sideways movement of a finger
let shown = null; // the rank of the enlarged candidate, best 1

watch("value", () => {
  page.apply(element);
  const ranking = element.querySelector(".fmp-ranking"), form = page.forms.retrieve;
  const { outcome, about, place, people } = ranking.dataset, good = outcome === "ranking" || outcome === "collection";
  if (outcome === "empty") { form.shows(null); return; }
  form.answered(good);
  shelf.put("answer", good ? { html: props.value, about: form.shows(ranking) } : form.shows(null));
  if (about) form.refused(about, ranking.querySelector(".fmp-refused"), Number(place));
  else if (!good || !form.seen(JSON.parse(people))) page.arrived(ranking);
});
/* The ranking from before the page was reloaded. */
document.addEventListener("fmp:back", ({ detail }) => {
  const { html, about } = shelf.get("answer") || {};
  if (detail !== "retrieve" || !html) return;
  element.innerHTML = html;
  page.apply(element);
  page.forms.retrieve.shows(element.querySelector(".fmp-ranking"), about);
});

/* Both pictures, the current one and a candidate's, enlarged side by side; they zoom together. */
function show(place) {
  const card = element.querySelector(`.fmp-place[data-place="${place}"]`), now = element.querySelector(".fmp-asked-for img");
  if (!card) return;
  shown = place;
  const current = card.querySelector(".fmp-figure").cloneNode(true), candidate = current.cloneNode(true);
  current.querySelector(".fmp-stack").replaceChildren(now.cloneNode());
  page.write(current.querySelector("figcaption"), "form.current");
  candidate.querySelector("figcaption").append(card.querySelector(".fmp-score > span").cloneNode(true));
  for (const figure of [current, candidate]) figure.querySelector(".fmp-look").replaceWith(figure.querySelector(".fmp-stack"));
  enlarge([current, candidate]);
  for (const [action, other] of [["previous-place", place - 1], ["next-place", place + 1]]) {
    element.querySelector(`.fmp-large [data-action=${action}]`).setAttribute("aria-disabled", String(!element.querySelector(`[data-place="${other}"]`)));
  }
}
/* Scroll the card next to the visible or focused one into view. */
function turnTo(step) {
  const strip = element.querySelector(".fmp-places"), cards = [...strip.children], here = strip.getBoundingClientRect().left;
  const focused = cards.findIndex((card) => card.contains(document.activeElement));
  const first = cards.reduce((best, card, at) => (Math.abs(card.getBoundingClientRect().left - here) < Math.abs(cards[best].getBoundingClientRect().left - here) ? at : best), 0);
  const next = cards[(focused < 0 ? first : focused) + step];
  if (!next) return;
  next.scrollIntoView({ inline: "start", block: "nearest", behavior: page.still() ? "auto" : "smooth" });
  if (focused >= 0) next.querySelector(".fmp-look").focus({ preventScroll: true });
}
Object.assign(acts, {
  again: () => page.forms.retrieve.ask(),
  more: (button) => {
    const [first, ...others] = [...element.querySelectorAll(".fmp-collection > [hidden]")].slice(0, 10);
    [first, ...others].forEach((item) => { item.hidden = false; });
    if (!element.querySelector(".fmp-collection > [hidden]")) button.remove();
    first.focus();
  },
  enlarge: (button) => show(Number(button.closest(".fmp-place").dataset.place)),
  "previous-place": () => show(shown - 1),
  "next-place": () => show(shown + 1),
  back: () => turnTo(-1),
  on: () => turnTo(1),
});
/* Arrow keys move from picture to picture; they pan an enlarged picture that does not fit. */
element.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], isLarge = event.target.closest(".fmp-large");
  if (!step || event.ctrlKey || event.metaKey || event.altKey || (isLarge ? viewport.zoom > 1 : !event.target.closest(".fmp-places"))) return;
  event.preventDefault();
  event.stopPropagation();
  if (isLarge) show(shown + step);
  else turnTo(step);
}, true);
let began = null; // where a finger touched the enlarged picture
element.addEventListener("pointerdown", (event) => { began = event.target.closest(".fmp-views") && viewport.zoom === 1 && pointers.size < 2 ? event.clientX : null; });
element.addEventListener("pointerup", (event) => {
  const way = began === null || viewport.zoom > 1 ? 0 : event.clientX - began;
  began = null;
  if (Math.abs(way) > SWIPE) show(shown + (way < 0 ? 1 : -1));
});
page.apply(element);

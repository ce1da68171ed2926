/* The list of steps: a selected step highlights its joints in both pictures and its bars, and the figure performs it; a step that the figure performs is selected. */
const SETTLED = 140; // milliseconds without scrolling until a swiped card counts as settled
const stepList = () => element.querySelector(".fmp-steps");
const stepItems = () => [...(stepList()?.children || [])];
const lamp = (item) => item?.querySelector("[data-action=light]");
const lights = (step) => step?.getAttribute("aria-pressed") === "true";
let chosenStep = -1; // its index among all cards; -1 while the whole movement is shown
let standing = 0; // the card in front in a row of cards
let settling = 0;

function light(place) {
  unlook();
  unlight();
  const item = stepItems()[place];
  if (!item) return;
  chosenStep = place;
  item.classList.add("fmp-highlighted");
  bring(place);
  steer();
  const step = lamp(item);
  if (!step) return;
  step.setAttribute("aria-pressed", "true");
  mark(step.dataset.joints.split(" "), step.dataset.rows.split(" "));
}
function mark(joints, rows) {
  element.querySelectorAll(".fmp-joints [data-joint]").forEach((one) => one.classList.toggle("fmp-highlighted", joints.includes(one.dataset.joint)));
  element.querySelectorAll(".fmp-chart [data-part]").forEach((row) => row.classList.toggle("fmp-highlighted", rows.includes(row.dataset.part)));
  element.querySelector(".fmp-answer").classList.add("fmp-highlighting");
}
function unlight() {
  chosenStep = -1;
  element.querySelector(".fmp-answer").classList.remove("fmp-highlighting");
  element.querySelectorAll(".fmp-highlighted").forEach((one) => one.classList.remove("fmp-highlighted"));
  element.querySelectorAll("[data-action=light]").forEach((step) => step.setAttribute("aria-pressed", "false"));
  steer();
}
function choose(place) {
  light(place);
  done?.does(wordsOf(stepItems()[place]));
}

const wordsOf = (item) => item?.dataset.words?.split(" ").map(Number);
const overlap = (one, other) => Boolean(one && other) && one[0] < other[1] && other[0] < one[1];
/* Select the step that the figure performs, by its words; none if it performs none or no step describes it. */
function followFigure(words) {
  if (overlap(wordsOf(stepItems()[chosenStep]), words)) return;
  const place = stepItems().findIndex((item) => overlap(wordsOf(item), words));
  if (place < 0) unlight();
  else light(place);
}
/* The number of the figure's step in the list. */
function counted(words) {
  const steps = stepItems().filter(({ dataset }) => dataset.words), place = steps.findIndex((item) => overlap(wordsOf(item), words));
  return place < 0 ? null : { number: place + 1, of: steps.length };
}

/* ---- a row of cards, if there is no room for the list ---- */
const isRow = () => { const row = stepList(); return Boolean(row) && row.scrollWidth > row.clientWidth + 1; };
function bring(place, behavior = page.still() ? "instant" : "smooth") {
  const row = stepList(), item = stepItems()[place];
  standing = place;
  if (item && isRow()) row.scrollTo({ left: item.offsetLeft - (row.clientWidth - item.offsetWidth) / 2, behavior });
}
function inFront() {
  const row = stepList(), middle = row.scrollLeft + row.clientWidth / 2, away = stepItems().map((item) => Math.abs(item.offsetLeft + item.offsetWidth / 2 - middle));
  return away.indexOf(Math.min(...away));
}
element.addEventListener("scroll", ({ target }) => {
  if (!target.matches?.(".fmp-steps")) return;
  clearTimeout(settling);
  settling = setTimeout(() => {
    if (!target.isConnected || !isRow() || inFront() === standing) return;
    if (!element.querySelector("[data-action=words][aria-pressed=true]")) { choose(inFront()); return; }
    standing = inFront(); // while single words are shown, another card shows its words
    steer();
  }, SETTLED);
}, true);
element.addEventListener("pointercancel", ({ target }) => { if (target.closest(".fmp-steps")) done?.rests(); }); // a finger begins to swipe

/* ---- forward and back ---- */
const ahead = () => (chosenStep < 0 ? (done?.ended() ? null : 0) : chosenStep + 1);
function onward() {
  const place = ahead();
  if (place !== null && place < stepItems().length) choose(place);
  else if (done?.ends()) unlight();
}
function backward() {
  if (chosenStep > 0 || chosenStep < 0 && done?.ended()) { choose(chosenStep < 0 ? stepItems().length - 1 : chosenStep - 1); return; }
  unlight();
  done?.begins();
}
/* The position in the list: a dot for each card, the position in words, and disabled buttons at the ends. */
function steer() {
  const player = element.querySelector(".fmp-player"), cards = stepItems();
  if (!player || done?.isOwn()) return;
  const here = chosenStep < 0 ? standing : chosenStep, dots = player.querySelector(".fmp-dots");
  if (dots) dots.replaceChildren(...cards.map((card, place) => {
    const dot = document.createElement("i");
    dot.classList.toggle("fmp-here", place === here);
    dot.classList.toggle("fmp-dot-aside", !card.dataset.words);
    return dot;
  }));
  if (cards.length && dots) page.write(player.querySelector(".fmp-position"), "stage.position", { number: here + 1, of: cards.length });
  const place = ahead(), off = { backward: chosenStep < 0 && !done?.ended(), forward: (place === null || place >= cards.length) && !done?.more() };
  for (const [action, none] of Object.entries(off)) player.querySelector(`[data-action=${action}]`)?.setAttribute("aria-disabled", String(none)); // the button keeps its focus
}

/* What is in view if there is no room for all: the figure, the pictures, or each of them smaller. */
function showView(view) {
  const stage = element.querySelector(".fmp-figures");
  if (!stage) return;
  stage.dataset.view = view;
  stage.querySelectorAll("[data-action=view]").forEach((press) => press.setAttribute("aria-pressed", String(press.dataset.view === view)));
}

element.addEventListener("click", (event) => {
  const { action, view } = event.target.closest("[data-action]")?.dataset || {};
  if (action === "view") showView(view);
  if (action === "judge") done?.rests(); // the card being judged stays in front
  if (action === "forward" && !done) onward();
  if (action === "backward" && !done) backward();
  const item = event.target.closest(".fmp-steps > li"), step = lamp(item);
  if (!step || event.target.closest("button:not([data-action=light]), a, input, label, textarea, .fmp-judged")) return;
  if (String(getSelection()) && action !== "light") return; // selecting text to copy does not select the step; a press of its button always does
  if (lights(step) && !done?.moves()) unlight();
  else choose(stepItems().indexOf(item));
});
element.addEventListener("keydown", (event) => {
  const step = event.target.closest(".fmp-number"), way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step || !way || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const steps = [...element.querySelectorAll("button.fmp-number")], next = steps[steps.indexOf(step) + way];
  if (!next) return;
  next.focus({ preventScroll: true });
  choose(stepItems().indexOf(next.closest("li")));
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") unlight(); });
/* What a conversation about the answer speaks of; no joints end that. */
document.addEventListener("fmp:light", ({ detail: { joints, rows } }) => {
  unlook();
  unlight();
  if (joints.length) mark(joints.map(String), rows);
});
/* Collapsed sections are printed too. */
const folds = () => [...element.querySelectorAll(".fmp-folds details:not([open])")];
let openedToPrint = [];
window.addEventListener("beforeprint", () => { openedToPrint = folds(); openedToPrint.forEach((fold) => { fold.open = true; }); });
window.addEventListener("afterprint", () => openedToPrint.forEach((fold) => { fold.open = false; }));

/* Pictures: cropped to the person or whole, the strip of candidates to swipe, and votes on texts by a tap. */
const WHOLE = "fixmypose.whole_pictures";
function showWhole() {
  const showsWhole = stored(WHOLE) === "yes";
  element.querySelector(".fmp-work").classList.toggle("fmp-whole", showsWhole);
  element.querySelectorAll("[data-whole]").forEach((one) => { one.checked = showsWhole; });
}
element.addEventListener("change", ({ target }) => {
  if (!("whole" in target.dataset)) return;
  store(WHOLE, target.checked ? "yes" : "no");
  showWhole();
});
document.addEventListener("fmp:stage", showWhole);
showWhole();

/* A pair side by side, one over the other, or alternating; in Find the second is the chosen candidate. */
const VIEW = "fixmypose.pair_view", TURN = 900; // milliseconds for which each picture is shown while alternating
const pair = () => find(".fmp-stage .fmp-compare");
let turning = 0;
function showView() {
  clearInterval(turning);
  if (!pair()) return;
  const view = stored(VIEW) || "beside";
  pair().dataset.view = view;
  pair().classList.remove("fmp-then");
  pair().querySelectorAll("[data-view]").forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.view === view)));
  if (view === "turn" && !page.still()) turning = setInterval(() => { if (!document.activeElement.closest(".fmp-enlarge") && !find("dialog[open]")) takeTurn(); }, TURN);
}
function takeTurn() {
  if (!pair()) clearInterval(turning);
  else if (!pair().querySelector(".fmp-shot-target[hidden]")) pair().classList.toggle("fmp-then");
}
function showChosen() {
  const picked = find(".fmp-find-current .fmp-shot-target"), chosen = find(".fmp-candidate :checked");
  if (!picked) return;
  picked.hidden = !chosen;
  if (chosen) picked.querySelector("img").src = chosen.closest(".fmp-candidate").querySelector("img").src;
}
/* With reduced motion, each further press shows the other picture. */
actions.view = ({ dataset: { view } }) => {
  const again = view === "turn" && stored(VIEW) === view;
  if (again && page.still()) { takeTurn(); return; }
  store(VIEW, view);
  showView();
};
document.addEventListener("fmp:stage", showView);
document.addEventListener("fmp:stage", showChosen);
element.addEventListener("input", showChosen);

/* The strip: its numbers show the visible picture and the chosen one, and link to each. */
const strip = () => find(".fmp-gallery");
const candidates = () => [...stage.querySelectorAll(".fmp-candidate")];
function onView() {
  const gallery = strip();
  if (!gallery) return;
  const middle = gallery.getBoundingClientRect().left + gallery.clientWidth / 2;
  const off = candidates().map((one) => { const { left, width } = one.getBoundingClientRect(); return Math.abs(left + width / 2 - middle); });
  const near = off.indexOf(Math.min(...off));
  stage.querySelectorAll("[data-action=jump]").forEach((one, place) => {
    if (place === near) one.setAttribute("aria-current", "true"); else one.removeAttribute("aria-current");
    one.classList.toggle("fmp-chosen", Boolean(candidates()[place].querySelector(":checked")));
  });
}
function bringOn(place, smooth = true) {
  const gallery = strip(), one = candidates()[place];
  if (!one || gallery.scrollWidth <= gallery.clientWidth) return;
  const behavior = smooth && !page.still() ? "smooth" : "instant";
  gallery.scrollTo({ left: one.offsetLeft - gallery.offsetLeft - (gallery.clientWidth - one.offsetWidth) / 2, behavior });
}
document.addEventListener("fmp:stage", () => {
  strip()?.addEventListener("scroll", onView, { passive: true });
  bringOn(candidates().findIndex((one) => one.querySelector(":checked")), false);
  onView();
});
element.addEventListener("input", onView);
actions.jump = (button) => bringOn(Number(button.dataset.place));

/* A tap on a text answers the first unanswered question; if all are answered, the last one answered. */
let lastAsked = "";
const questions = () => [...(find(".fmp-tapped")?.closest("form").querySelectorAll(".fmp-question") || [])];
const nameOf = (question) => question.querySelector("input").name;
element.addEventListener("click", (event) => {
  const card = event.target.closest?.(".fmp-tapped > li");
  if (!card || work.busy || !getSelection().isCollapsed) return; // selecting text is not a vote
  const all = questions(), open = all.find((one) => !one.querySelector("input:checked"));
  const question = open || all.find((one) => nameOf(one) === lastAsked) || all.at(-1);
  const choice = question.querySelector(`input[value="${card.dataset.place}"]`);
  choice.checked = true;
  choice.dispatchEvent(new Event("input", { bubbles: true }));
});
function markCards(event) {
  if (event?.target?.closest?.(".fmp-question")) lastAsked = event.target.name;
  const chosen = Object.fromEntries(questions().map((one) => [nameOf(one), one.querySelector("input:checked")?.value]));
  stage.querySelectorAll(".fmp-vote-mark").forEach((mark) => { mark.hidden = chosen[mark.dataset.of] !== mark.closest("li").dataset.place; });
  const all = questions(), asking = all.find((one) => !one.querySelector("input:checked"));
  all.forEach((one) => one.classList.toggle("fmp-asking", one === asking));
}
element.addEventListener("input", markCards);
document.addEventListener("fmp:stage", markCards);

/* The last rounds of the dialogue before an answer to judge. */
document.addEventListener("fmp:stage", () => { const rounds = find(".fmp-so-far"); if (rounds) rounds.scrollTop = rounds.scrollHeight; });

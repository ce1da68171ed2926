/* "What if…": ends of body parts are imagined in the target pose; its figure and the text of the correction follow. */
const page = window.FMP;
const form = page.asking("imagine", { element, props, trigger, upload }, { working: "what_if.working" });
const MOST = 3; // changes at once
const find = (selector) => element.querySelector(selector);
const part = find("[name=fmp-part]"), end = find("[name=fmp-end]"), place = find(".fmp-imagined-place"), heard = find(".fmp-heard"), pictured = find(".fmp-what-if-figures"), canvases = [...element.querySelectorAll("canvas")];
const shown = (selector) => document.querySelector(`#answer ${selector}`);
let past = []; // what has been imagined: the changes by part, and the HTML about them
let wanted = null, sent = null, bringing = false; // changes that are not shown yet, those that the server was sent
let answer = null, about = null, figures = null; // number of the answer, and what the form held when it was shown

const current = () => past.at(-1)?.changes ?? new Map();
function refuse(...sentence) {
  wanted = null;
  form.alert(...sentence);
  if (past.length) tell();
  else show();
}
async function imagine(changes) {
  wanted = changes;
  tell();
  if (form.busy || bringing) return; // sent when the reply to the last one is there
  form.calm();
  const correct = page.forms.correct, { example } = shown(".fmp-answer").dataset;
  if (changes.size > MOST) { refuse("errors.changes_count", { most: MOST }); return; }
  if (!correct.shownIsAsked()) { refuse("answer.outdated"); return; }
  bringing = true;
  if (example) await correct.bring(example); // the opening example: its photographs are not in the form yet
  bringing = false;
  if (!correct.shownIsAsked() || !correct.complete()) return;
  sent = wanted;
  const given = correct.given();
  await form.send(given.files, (stored) => ({ ...given.about(stored), language: shown(".fmp-told").dataset.code, changes: [...sent.values()] }), "apply");
}
document.addEventListener("fmp:imagined", ({ detail: html }) => {
  form.answered(false);
  const holder = document.createElement("template"), asked = sent;
  holder.innerHTML = html;
  const refused = holder.content.querySelector(".fmp-refused");
  if (!wanted) return; // undone in the meantime
  if (wanted !== asked) { imagine(wanted); return; }
  if (refused) { refuse(refused); return; }
  past.push({ changes: wanted, html });
  about = page.forms.correct.asks();
  wanted = null;
  show();
});
const { failed } = form;
form.failed = () => { failed(); wanted = null; tell(); };

/* Show what was imagined last, if anything. */
function show() {
  const holder = document.createElement("template");
  holder.innerHTML = past.at(-1)?.html ?? "";
  const section = holder.content.querySelector("section");
  place.replaceChildren(...(section ? [section] : []));
  heard.replaceChildren(...(section ? [section.querySelector("template").content.cloneNode(true)] : []));
  for (const node of [place, heard]) page.apply(node);
  pictured.hidden = !section;
  tell();
  draw(true);
}
function draw(anew) {
  const section = place.querySelector("section");
  if (!section || !page.movingFigure) return;
  const { poses, lit, ...body } = JSON.parse(section.dataset.figures), letters = { left: page.say("done.letter_left"), right: page.say("done.letter_right") };
  figures ??= canvases.map((canvas) => page.movingFigure(canvas));
  figures.forEach((figure, index) => {
    if (anew) figure.show(body, [poses[index], poses[1 - index]], index ? poses[0] : null);
    figure.draw(poses[index], { lit: new Set(index ? lit : []), letters });
  });
}
/* The lists and the buttons show what is wanted, or else what was imagined last. */
function tell() {
  const changes = wanted ?? current();
  end.value = changes.get(part.value) ?? "";
  const off = { previous: end.selectedIndex <= 0, next: end.selectedIndex >= end.options.length - 1, "undo-change": !past.length, reset: !past.length };
  for (const [action, disabled] of Object.entries(off)) find(`[data-action=${action}]`).setAttribute("aria-disabled", String(disabled)); // the button keeps its focus
}
function list() {
  end.replaceChildren(element.querySelectorAll("template")[part.value].content.cloneNode(true));
  page.apply(end);
  tell();
}
function choose() {
  const changes = new Map(wanted ?? current());
  changes.delete(part.value);
  if (end.value) changes.set(part.value, end.value);
  if (changes.size) imagine(changes);
  else back([]);
}
function back(to) {
  past = to;
  wanted = null;
  form.calm();
  form.clearStatus();
  show();
}
const step = (by) => { end.selectedIndex += by; choose(); };
const acts = { previous: () => step(-1), next: () => step(1), "undo-change": () => back(past.slice(0, -1)), reset: () => back([]) };
form.invite = () => {
  element.scrollIntoView({ block: "start", behavior: page.still() ? "auto" : "smooth" });
  part.focus({ preventScroll: true });
};
/* Another answer ends it, unless it is the same one in another language: then the text is told in that. */
function followAnswer() {
  const number = shown(".fmp-answer")?.dataset.number, { quietly, asks } = page.forms.correct, changes = current();
  const told = place.querySelector("[lang]")?.lang, code = shown(".fmp-told")?.dataset.code;
  if (answer !== number && !(quietly && about === asks())) back([]);
  else if (told && code && told !== code) { past = []; imagine(changes); }
  answer = number;
}

element.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-action]");
  if (button && button.getAttribute("aria-disabled") !== "true") acts[button.dataset.action]();
});
part.addEventListener("change", () => { list(); });
end.addEventListener("change", choose);
new ResizeObserver(() => draw(false)).observe(pictured);
document.addEventListener("fmp:answer-shown", followAnswer);
document.addEventListener("fmp:language", () => draw(false));
page.apply(element);
list();
followAnswer();

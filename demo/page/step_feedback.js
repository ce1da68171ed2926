/* "Was this right?": thumbs at the steps of an answer. Nothing is sent before the visitor agreed, once, that it is stored. */
const page = window.FMP;
const CHOICE = "fixmypose.feedback", GIVEN = "fixmypose.feedback.given"; // "yes" or "no"; the thumbs by the seal of their answer
const PATIENCE = 25_000; // milliseconds until a request counts as lost
const MAX_ANSWERS = 50; // maximum number of answers whose thumbs this device stores

const memory = {}; // replaces the storage in a private window
const stored = (name) => { try { return localStorage.getItem(name) ?? memory[name]; } catch { return memory[name]; } };
const store = (name, value) => { memory[name] = value; try { localStorage.setItem(name, value); } catch { /* kept in memory only */ } };
const forget = (name) => { delete memory[name]; try { localStorage.removeItem(name); } catch { /* nothing was stored */ } };
const given = () => { try { return JSON.parse(stored(GIVEN)) || {}; } catch { return {}; } };
const answerOf = (node) => node.closest(".fmp-told[data-sealed]");
const sealOf = (answer) => answer.dataset.sealed.split(".").pop();
const judgedSteps = (answer) => [...answer.querySelectorAll(".fmp-steps li[data-words]")].filter((step) => step.querySelector(".fmp-thumbing"));

const waiting = []; // requests in order: the first one is being sent
let number = 0, timer = 0;

function remember(answer, step, right) {
  const all = given(), seal = sealOf(answer), { [seal]: thumbs = {}, ...others } = all;
  thumbs[step] = right;
  store(GIVEN, JSON.stringify(Object.fromEntries([...Object.entries(others), [seal, thumbs]].slice(-MAX_ANSWERS))));
}

/* Show the given thumbs of every answer on the page, and below its steps what happens to them. */
const LINES = { yes: ["feedback.on", "feedback.stop"], no: ["feedback.off", "feedback.change"] };
function paint() {
  document.querySelectorAll(".fmp-told[data-sealed]").forEach((answer) => {
    const thumbs = given()[sealOf(answer)] || {};
    judgedSteps(answer).forEach((step) => step.querySelectorAll(".fmp-thumb").forEach((thumb) => {
      thumb.setAttribute("aria-pressed", String(String(thumbs[step.dataset.words]) === thumb.dataset.right));
    }));
    const [about, change] = LINES[stored(CHOICE)] || ["feedback.invite"], line = answer.querySelector(".fmp-judging");
    if (!line) return;
    const button = line.querySelector("button");
    page.write(line.querySelector("span"), about);
    button.hidden = !change;
    if (change) page.write(button, change);
  });
}

/* The message about a press, at its step. */
function note(step) {
  step.querySelectorAll(".fmp-judged").forEach((before) => before.remove());
  const place = document.createElement("div");
  place.className = "fmp-judged";
  place.setAttribute("role", "status");
  step.append(place);
  return place;
}
function say(step, key) {
  page.write(note(step).appendChild(document.createElement("p")), key);
}
function choice(key, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "fmp-button";
  page.write(button, key);
  button.addEventListener("click", act);
  return button;
}
/* The question for consent, asked at the step whose thumb was pressed first. */
function ask(press) {
  const place = note(press.step), terms = place.appendChild(document.createElement("p")), row = document.createElement("div");
  const keep = () => { press.thumb.focus({ preventScroll: true }); send({ ...press, agrees: true }); };
  const refuse = () => {
    press.thumb.focus({ preventScroll: true });
    store(CHOICE, "no");
    paint();
    say(press.step, "feedback.off");
  };
  terms.tabIndex = -1;
  page.write(terms, "feedback.terms");
  row.className = "fmp-row";
  row.append(choice("feedback.keep", keep), choice("feedback.refuse", refuse));
  place.append(row);
  terms.focus({ preventScroll: true });
  place.scrollIntoView({ block: "nearest" });
}

function send(press) {
  waiting.push(press);
  if (waiting.length === 1) next();
}
function next() {
  const [press] = waiting;
  if (!press) return;
  const { answer, step, right, agrees, proof } = press;
  clearTimeout(timer);
  timer = setTimeout(lost, PATIENCE);
  if (!page.work) { lost(); return; }
  say(step, "feedback.sending");
  number += 1;
  trigger("act", { action: "judge", number, ...page.work.sender(), sealed: answer.dataset.sealed, step: step.dataset.words, right, agrees, proof, page_language: page.language });
}
function lost() {
  clearTimeout(timer);
  waiting.splice(0).forEach(({ step }) => say(step, "feedback.lost"));
}
watch("value", () => {
  const reply = props.value, [press] = waiting;
  if (!press || reply?.number !== number) return;
  clearTimeout(timer);
  waiting.shift();
  if (reply.guest) page.work.keepGuest(reply.guest);
  const { answer, step, right } = press;
  if (reply.outcome === "told") {
    if (press.agrees) store(CHOICE, "yes"); // once the app has stored that, too
    remember(answer, step.dataset.words, right);
    say(step, right === null ? "feedback.taken_back" : "feedback.kept");
  } else if (reply.code === "proof_needed") {
    waiting.unshift(press);
    page.work.solve(reply.puzzle, (proof) => { if (waiting[0] === press) { waiting[0] = { ...press, proof }; next(); } }); // unless it was cancelled meanwhile
    return;
  } else if (reply.code === "consent_missing") {
    forget(CHOICE); // the data was deleted, perhaps from another device
    ask(press);
  } else if (reply.code === "guest_unknown") {
    page.work.keepGuest(undefined);
    say(step, "feedback.lost");
  } else if (reply.html) {
    const place = note(step);
    place.innerHTML = reply.html;
    page.apply(place);
  } else say(step, "faults.ours");
  paint();
  next();
});

document.addEventListener("click", (event) => {
  const thumb = event.target.closest?.("[data-action=judge]"), change = event.target.closest?.(".fmp-judging button");
  if (change) {
    if (stored(CHOICE) === "yes") store(CHOICE, "no");
    else forget(CHOICE);
    paint();
  }
  const answer = thumb && answerOf(thumb);
  if (!answer) return;
  const step = thumb.closest("li"), taken = thumb.getAttribute("aria-pressed") === "true";
  const press = { thumb, answer, step, right: taken ? null : thumb.dataset.right === "true" };
  if (taken || stored(CHOICE) === "yes") send(press);
  else if (stored(CHOICE) === "no") say(step, "feedback.not_kept");
  else ask(press);
});
document.addEventListener("fmp:unjudged", lost);
document.addEventListener("fmp:trouble", lost);
document.addEventListener("fmp:answer-shown", paint);
document.addEventListener("fmp:answered", ({ detail }) => {
  if (!detail.answer.forgotten) return;
  [CHOICE, GIVEN].forEach(forget);
  document.querySelectorAll(".fmp-judged").forEach((place) => place.remove());
  paint();
});
paint();

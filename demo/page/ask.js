/* "Ask about it": a conversation about the shown answer. Its earlier questions are sent along with each question. */
const page = window.FMP;
const form = page.asking("ask", { element, props, trigger, upload }, { working: "ask.working" });
const find = (selector) => element.querySelector(selector);
const section = element.closest("#ask"), field = find("input"), suggested = find(".fmp-suggested");
const pictures = () => section.querySelector("#ask-pictures"); // its parts are not built in order
const shown = (part) => document.querySelector(`#answer ${part}`);
let messages = [], questions = [], lights = []; // of each reply, what it highlights
let answer = null, about = null; // number of the answer, and what the form held when it was asked about
let asking = null; // the question that waits for its reply, and its conversation

function refuse(...sentence) {
  form.alert(...sentence);
  field.focus({ preventScroll: true });
}
async function ask(question) {
  const correct = page.forms.correct;
  if (form.busy) return;
  form.calm();
  if (!question.trim()) { refuse("ask.missing"); return; }
  if (!correct.shownIsAsked()) { refuse("answer.outdated"); return; }
  const { example } = shown(".fmp-answer").dataset;
  if (example) await correct.bring(example); // the opening example: its photographs are not in the form yet
  if (!correct.shownIsAsked() || !correct.complete()) return;
  if (!messages.length) pictures().replaceChildren(shown(".fmp-pair").cloneNode(true));
  pictures().setAttribute("aria-hidden", "true"); // the answer has the same pictures
  section.classList.add("fmp-conversing");
  about = correct.asks();
  asking = { question, messages };
  const given = correct.given();
  await form.send(given.files, (stored) => ({ ...given.about(stored), language: shown(".fmp-told").dataset.code, text: question, history: questions }));
}
form.invite = () => {
  section.scrollIntoView({ block: "start", behavior: page.still() ? "auto" : "smooth" });
  field.focus({ preventScroll: true });
};
/* Return the messages after a reply has arrived. */
form.replied = ({ refusal, messages: two, suggestions, language, joints, rows }) => {
  form.answered(false);
  if (refusal) refuse(refusal);
  else if (asking?.messages === messages) {
    messages = [...messages, ...two];
    questions.push(asking.question);
    lights.push([joints, rows]);
    if (field.value === asking.question) field.value = "";
    suggest(suggestions, language);
    light(joints, rows);
  }
  asking = null;
  return messages;
};
function suggest(texts, language) {
  while (suggested.children.length > texts.length) suggested.lastChild.remove();
  texts.forEach((text, place) => {
    const button = suggested.children[place] || suggested.appendChild(document.createElement("button")); // the pressed one keeps its focus
    Object.assign(button, { type: "button", className: "fmp-button fmp-asks", lang: language, textContent: text });
  });
}
function light(joints, rows) {
  document.dispatchEvent(new CustomEvent("fmp:light", { detail: { joints, rows } }));
  pictures().classList.toggle("fmp-highlighting", joints.length > 0);
  pictures().querySelectorAll("[data-joint]").forEach((mark) => mark.classList.toggle("fmp-highlighted", joints.includes(Number(mark.dataset.joint))));
}
function startAgain() {
  messages = [];
  questions = [];
  lights = [];
  section.classList.remove("fmp-conversing");
  pictures()?.replaceChildren();
  form.calm();
  form.clearStatus();
  trigger("clear");
}
/* Another answer ends the conversation, unless it is the same one in the page's other language. */
function followAnswer() {
  const told = shown(".fmp-told[data-questions]"), number = shown(".fmp-answer")?.dataset.number, { quietly, asks } = page.forms.correct;
  if (answer !== number && !(quietly && about === asks())) startAgain();
  answer = number;
  if (told && !messages.length) suggest(JSON.parse(told.dataset.questions), told.dataset.code);
}

find("form").addEventListener("submit", (event) => { event.preventDefault(); ask(field.value); });
suggested.addEventListener("click", ({ target }) => { if (target.matches("button")) ask(target.textContent); });
find("[data-action=start-again]").addEventListener("click", () => {
  startAgain();
  light([], []);
  followAnswer();
  field.focus();
});
section.addEventListener("click", ({ target }) => {
  const message = target.closest("summary")?.closest("details").parentElement;
  if (message) light(...lights[[...section.querySelectorAll(".fmp-reply")].indexOf(message.querySelector(".fmp-reply"))]);
});
section.addEventListener("toggle", ({ target }) => { if (target.open) target.scrollIntoView({ block: "nearest" }); }, true);
/* Gradio names each message by its markup, and the conversation in English. */
new MutationObserver(() => {
  section.querySelectorAll("[aria-label*='<']").forEach((message) => message.removeAttribute("aria-label"));
  section.querySelectorAll("[role=log]:not([data-i18n])").forEach((log) => page.write(log, "ask.conversation", {}, "aria-label"));
}).observe(section, { childList: true, subtree: true });
document.addEventListener("fmp:answer-shown", followAnswer);
page.apply(element);
followAnswer();

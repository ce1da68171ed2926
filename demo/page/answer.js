/* The answer: strength of the red overlay, copy, read aloud. */
const page = window.FMP;
const shelf = page.kept("correct");
const say = (key, places) => page.write(element.querySelector(".fmp-answer-status"), key, places);

function setStrength(range) {
  range.closest(".fmp-difference").style.setProperty("--strength", range.value / 100);
  range.setAttribute("aria-valuetext", page.say("figures.strength_value", { percent: range.value }));
}

/* The steps with numbers, one per line, and the sentences between them; an answer without steps is returned unchanged. */
function written(answer) {
  let number = 0;
  return [...answer.querySelectorAll(".fmp-step")].map((step) => {
    const line = step.textContent.trim().replace(/\s+/g, " ");
    return step.closest(".fmp-aside") ? line : `${number += 1}. ${line}`;
  }).join("\n") || answer.dataset.text;
}
/* The steps as one text, without general advice, which is about no photograph. */
function stepsAlone(answer) {
  const steps = [...answer.querySelectorAll("li:not(.fmp-watch) .fmp-step")];
  return steps.map((step) => step.textContent.trim().replace(/\s+/g, " ")).join(" ") || answer.dataset.text;
}
/* Tell whether a text could be copied after a button was pressed. */
async function copied(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    button.focus();
    return done;
  }
  return true;
}
page.copied = copied;
const copy = async (button) => say(await copied(written(button.closest(".fmp-answer")), button) ? "answer.copied" : "answer.copy_failed");

function stopReading() {
  window.speechSynthesis?.cancel();
  const button = element.querySelector("[data-action=read]");
  if (button) { page.write(button.querySelector("span"), "answer.read"); delete button.dataset.reading; }
}
async function read(button) {
  if (button.dataset.reading) { stopReading(); return; }
  page.unlockVoice(); // the voices may still be loading
  const { text, speech, language } = button.closest(".fmp-answer").dataset;
  const voice = await page.voiceOf(speech);
  if (!voice) { say("answer.no_voice", { language }); return; }
  const utterance = new SpeechSynthesisUtterance(text);
  utterance.lang = speech;
  utterance.voice = voice;
  utterance.rate = 0.95;
  utterance.onend = stopReading;
  utterance.onerror = stopReading;
  button.dataset.reading = "yes";
  page.write(button.querySelector("span"), "answer.stop");
  speechSynthesis.cancel();
  speechSynthesis.speak(utterance);
}

element.addEventListener("input", (event) => {
  if (event.target.matches("input[type=range]")) setStrength(event.target);
});
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (button?.dataset.action === "copy") copy(button);
  if (button?.dataset.action === "edit-text") page.forms.correct.edit(stepsAlone(button.closest(".fmp-answer")), button.closest("[data-example]")?.dataset.example);
  if (button?.dataset.action === "ask-about") page.forms.ask.invite();
  if (button?.dataset.action === "what-if") page.forms.imagine.invite();
  if (button?.dataset.action === "read") read(button);
  if (button?.dataset.action === "again") page.forms.correct.ask();
  if (button?.dataset.action === "print") print();
  if (button?.dataset.action === "own") page.forms.correct.invite();
});

/* The answer carries its text in each language: show it in the requested one, if it has that. */
function retell(code = page.forms.correct?.language()) {
  const told = element.querySelector(".fmp-told"), answer = told?.closest(".fmp-answer");
  const waiting = [...element.querySelectorAll("template.fmp-other")].find(({ content }) => content.firstElementChild?.dataset.code === code);
  if (!waiting || told.dataset.code === code) return;
  const other = document.importNode(waiting.content.firstElementChild, true), place = chosenStep, front = standing;
  stopReading();
  told.replaceWith(other);
  waiting.content.replaceChildren(told);
  const { text, language, speech, figure } = other.dataset;
  Object.assign(answer.dataset, { text, language, speech });
  page.apply(other);
  page.clear(element.querySelector(".fmp-answer-status")); // it concerned the previous text
  if (figure) {
    const see = answer.querySelector(".fmp-see"), spoken = JSON.parse(figure);
    see.dataset.played = JSON.stringify({ ...JSON.parse(see.dataset.played), ...spoken });
    done?.retell(spoken);
  }
  bring(front, "instant");
  if (place >= 0) light(place);
  else unlight();
  document.dispatchEvent(new CustomEvent("fmp:answer-shown"));
}
/* Request an answer again if its model has the page's language but the answer here does not. */
function followLanguage() {
  retell();
  const form = page.forms.correct, code = form?.language(), answer = element.querySelector(".fmp-answer"), told = answer?.querySelector(".fmp-told");
  if (told && told.dataset.code !== code && answer.dataset.speaks.split(" ").includes(code) && form.shownIsAsked()) form.ask({ quietly: true, difference: answer.dataset.outcome === "difference" });
}

function ready() {
  window.speechSynthesis?.cancel();
  page.apply(element);
  element.querySelectorAll("input[type=range]").forEach((range) => { range.value = range.getAttribute("value"); setStrength(range); });
  standing = 0;
  unlight();
  readyWords();
  readyDone();
  retell();
  document.dispatchEvent(new CustomEvent("fmp:answer-shown"));
}
function arrived() {
  ready();
  const answer = element.querySelector(".fmp-answer"), form = page.forms.correct;
  const { outcome, about, people } = answer.dataset, good = ["correction", "difference"].includes(outcome);
  if (outcome === "empty") { form.shows(null); return; }
  form.answered(good);
  shelf.put("answer", good ? { html: props.value, about: form.shows(answer) } : form.shows(null));
  if (good) document.dispatchEvent(new CustomEvent("fmp:answer", { detail: { html: props.value, first: written(answer).split("\n")[0], lang: element.querySelector(".fmp-step, .fmp-plain")?.lang } }));
  if (about) form.refused(about, answer.querySelector(".fmp-refused"), answer.querySelector(".fmp-offer"));
  else if (!good || !(people && form.seen(JSON.parse(people))) && !form.quietly) page.arrived(answer);
  followLanguage();
}
/* An answer that is not new: the one from before the page was reloaded, or an earlier one. */
function show({ html, about }) {
  element.innerHTML = html; // Gradio may set its own value again while the page loads
  ready();
  page.forms.correct.shows(element.querySelector(".fmp-answer"), about);
}
function bringBack() {
  const before = shelf.get("answer");
  if (before?.html) show(before);
}
document.addEventListener("fmp:again", ({ detail: html }) => {
  show({ html, about: "earlier" });
  shelf.put("answer", { html, about: "earlier" });
  page.arrived(element.querySelector(".fmp-answer"));
});
/* Show the answer to an example at once: the pressed one or, by `name`, the one that the page opens with. */
document.addEventListener("fmp:example", ({ detail: { html, about, name } }) => {
  show({ html, about });
  const answer = element.querySelector(".fmp-answer");
  if (!name) {
    shelf.put("answer", { html, about });
    page.arrived(answer);
    return;
  }
  Object.assign(answer.dataset, { outcome: "example", example: name });
  const invitation = document.createElement("div"), words = document.createElement("p"), press = document.createElement("button");
  invitation.className = "fmp-invitation";
  Object.assign(press, { type: "button", className: "fmp-button fmp-strong" });
  press.dataset.action = "own";
  page.write(answer.querySelector("h2"), "examples.opening", { name: page.inEach(`captions.${name}`) });
  page.write(words, "examples.opening_about");
  page.write(press, "examples.own");
  invitation.append(words, press);
  answer.querySelector("h2").after(invitation);
});
watch("value", arrived);
document.addEventListener("fmp:language", () => element.querySelectorAll("input[type=range]").forEach(setStrength));
document.addEventListener("fmp:answer-language", followLanguage);
document.addEventListener("fmp:back", ({ detail }) => { if (detail === "correct") bringBack(); });
window.addEventListener("pagehide", () => window.speechSynthesis?.cancel());
page.apply(element);

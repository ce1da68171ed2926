/* Keyboard shortcuts: those printed on the buttons, unless they are switched off. In text fields they are letters; there, Ctrl and Enter send. */
const SINGLE_KEYS = "fixmypose.single_keys";
const single = () => stored(SINGLE_KEYS) !== "off"; // speech input would trigger shortcuts with every word
function printKeys() {
  stage.querySelectorAll("kbd").forEach((one) => { one.hidden = !single() && !one.closest("[data-key=Enter]"); });
  stage.querySelectorAll("[data-single-keys]").forEach((one) => { one.checked = single(); });
}
function typing(target) {
  return target.matches?.("textarea, select, input:not([type=radio], [type=checkbox], [type=range])") || target.isContentEditable;
}
/* Of several questions with the same keys: the focused one, else the first without an answer, else the last. */
function activeQuestion() {
  const questions = [...work.form.querySelectorAll(".fmp-question")];
  const focused = questions.find((question) => question.contains(document.activeElement));
  return focused || questions.find((question) => !question.querySelector("input:checked")) || questions.at(-1);
}
function pressed(event) {
  if (!work.open || !work.form || work.busy || event.defaultPrevented || event.altKey || find("dialog[open]")) return;
  const { target, key } = event, withControl = event.ctrlKey || event.metaKey;
  if (!element.contains(target) && target !== document.body) return;
  const submit = work.form.querySelector("[data-action=give], [data-action=test]");
  if (key === "Enter") {
    if (typing(target) ? !withControl : target.matches?.("button, a, summary")) return;
    event.preventDefault();
    if (!event.repeat) submit.click();
    return;
  }
  if (withControl || typing(target) || event.repeat || !single()) return;
  const letter = key.toLowerCase();
  const button = work.form.querySelector(`button[data-key="${CSS.escape(letter)}"]`);
  const choice = activeQuestion()?.querySelector(`input[data-key="${CSS.escape(letter)}"]`);
  if (choice) {
    event.preventDefault();
    choice.checked = true;
    choice.dispatchEvent(new Event("input", { bubbles: true }));
    const next = [...work.form.querySelectorAll(".fmp-question")].find((question) => !question.querySelector("input:checked"));
    (next ? next.querySelector("input") : choice).focus();
  } else if (button) {
    event.preventDefault();
    button.click();
  }
}
document.addEventListener("keydown", pressed);
document.addEventListener("fmp:stage", printKeys);
element.addEventListener("change", ({ target }) => {
  if (!("singleKeys" in target.dataset)) return;
  store(SINGLE_KEYS, target.checked ? "on" : "off");
  printKeys();
});

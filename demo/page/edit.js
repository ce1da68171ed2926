/* "Have a text already?": the visitor's own text is edited until nothing in it contradicts the photographs. */
const mend = find(".fmp-mend"), own = mend.querySelector("textarea"), ownPlace = { node: mend.querySelector("section") };
const editedPlace = mend.querySelector(".fmp-edited-place"), mendLine = mend.querySelector("[role=status]"), undo = mend.querySelector("[data-action=undo-text]");
const MAX_CHARS = Number(find(".fmp-form").dataset.longest);
const formMoved = form.changed, clearAll = actions.clear;
let before = null; // the text in the field before it was last replaced
let editedAbout = null; // what the shown edit is about

const tellEdit = (key, places) => { form.tellAt(mendLine); page.write(mendLine, key, places); };
function keepText() { shelf.put("text", own.value || null); }
function fill(text) {
  before = own.value;
  own.value = text;
  undo.hidden = !before.trim() || before === text;
  keepText();
}
function refuseText(...sentence) {
  form.alert(...sentence, null, ownPlace);
  own.focus({ preventScroll: true });
}

actions.mend = async () => {
  const text = own.value.trim();
  form.calm();
  if (!text) refuseText("edit.missing", {});
  else if ([...own.value].length > MAX_CHARS) refuseText("errors.description_too_long", { limit: MAX_CHARS });
  else await askAbout({ text: own.value }, "apply", mendLine);
};
actions["take-text"] = async (button) => {
  fill(button.dataset.text);
  showRound(Number(editedPlace.querySelector("input").max));
  ownPlace.node.scrollIntoView({ block: "nearest", behavior: page.still() ? "auto" : "smooth" });
  tellEdit(await page.copied(own.value, button) ? "edit.taken" : "edit.taken_only");
};
actions["undo-text"] = () => {
  own.value = before;
  undo.hidden = true;
  keepText();
  own.focus();
  tellEdit("edit.undone");
};
actions.clear = () => {
  fill("");
  undo.hidden = true;
  showEdited(null);
  clearAll();
};
/* Put the text of an answer into the field; that of the opening example brings its photographs along. */
form.edit = async (text, example) => {
  if (example) await form.bring(example);
  form.calm();
  mend.open = true;
  fill(text);
  tellEdit("edit.filled");
  own.scrollIntoView({ block: "center", behavior: page.still() ? "auto" : "smooth" });
  own.focus({ preventScroll: true });
};

/* ---- the edited text ---- */
function showRound(round) {
  const range = editedPlace.querySelector("input"), last = Number(range.max);
  range.value = round;
  editedPlace.querySelectorAll(".fmp-round").forEach((text, number) => { text.hidden = number !== round; });
  const key = round === 0 ? "edit.round_given" : round === last ? "edit.round_last" : "edit.round", places = { number: round, of: last };
  page.write(range, key, places, "aria-valuetext");
  page.write(editedPlace.querySelector("output"), key, places);
}
function showEdited(section, about) {
  editedPlace.replaceChildren(...(section ? [section] : []));
  editedAbout = about;
  if (!section) return;
  page.apply(section);
  const range = section.querySelector("input");
  if (range) showRound(Number(range.max));
  tellOutdated();
}
function tellOutdated() {
  editedPlace.firstElementChild?.toggleAttribute("data-outdated", editedAbout !== form.asks());
}
function sectionOf(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content.querySelector("section");
}
document.addEventListener("fmp:edited", ({ detail: html }) => {
  const section = sectionOf(html), refused = section.querySelector(".fmp-refused"), { about } = section.dataset;
  form.answered(false);
  if (about) form.refused(about, refused);
  else if (refused) refuseText(refused, {});
  else {
    showEdited(section, form.asks());
    shelf.put("edited", { html, about: editedAbout });
    tellEdit("edit.ready");
    section.querySelector("h3").focus({ preventScroll: true });
    section.scrollIntoView({ block: "nearest", behavior: page.still() ? "auto" : "smooth" });
  }
});
form.changed = () => { formMoved(); tellOutdated(); };

mend.addEventListener("input", ({ target }) => {
  if (target === own) keepText();
  else showRound(Number(target.value));
});
own.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || form.busy) return;
  event.preventDefault();
  actions.mend();
});
own.value = shelf.get("text") || "";
mend.open = Boolean(own.value);
document.addEventListener("fmp:back", ({ detail }) => {
  const kept = detail === "correct" && shelf.get("edited");
  if (kept) showEdited(sectionOf(kept.html), kept.about);
});

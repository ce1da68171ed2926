/* The form of "Correct my pose": two photographs; nothing is sent before the button is pressed. */
const page = window.FMP;
const find = (selector) => element.querySelector(selector);
const { maxBytes } = find(".fmp-form").dataset;
const MAX_BYTES = Number(maxBytes);
const shelf = page.kept("correct");
const CORRECTION = { working: "form.working", ready: "form.ready" }, DIFFERENCE = { working: "difference.working", ready: "difference.ready" };
const words = { ...CORRECTION, outdated: "answer.outdated" };
const form = page.asking("correct", { element, props, trigger, upload }, words);
const slots = Object.fromEntries([...element.querySelectorAll(".fmp-photo")].map((node) => [node.dataset.which, page.photoSlot(node, form, page.shrunk)]));
const both = Object.values(slots);
let answerLanguage = shelf.get("language"); // chosen by hand; null: the language of the page
[slots.current.other, slots.target.other] = [slots.target, slots.current];

/* What an answer is about: both photographs, the selected people, their orientation, and the omitted parts. */
form.asks = () => JSON.stringify([...both.map(({ photo }) => photo && [photo.id, photo.whom, photo.orientation]), page.leftOut(element)]);
/* The name of the example whose two unchanged photographs are in the slots, or nothing. */
form.example = () => {
  const [name, other] = Object.entries(slots).map(([which, { photo }]) => (photo?.example?.[1] === which && !photo.orientation ? photo.example[0] : ""));
  return name === other ? name : "";
};
for (const [which, slot] of Object.entries(slots)) {
  slot.changed = () => { shelf.putPhoto(which, slot.photo); form.changed(); };
  slot.chosen = () => form.ask();
}

form.language = () => find("input[name=fmp-answer-language]:checked").value;
/* An answer that arrives `quietly` does not scroll the page; it may be the `difference` of pictures without a person. */
form.ask = async ({ quietly = false, difference = false } = {}) => {
  if (form.busy || quietly && both.some(({ photo }) => !photo)) return;
  form.quietly = quietly;
  await askAbout({ difference, model: find("input[name=fmp-answer-model]:checked")?.value ?? null });
};
/* Send both photographs with what is asked about them; statuses are written to `line`. */
async function askAbout(request, event, line) {
  if (beingShrunk().length) await form.settled(...beingShrunk());
  form.calm();
  Object.assign(words, request.difference ? DIFFERENCE : CORRECTION);
  both.forEach((slot) => slot.stop());
  const missing = Object.entries(slots).filter(([, slot]) => !slot.photo), [tooBig, large] = Object.entries(slots).find(([, slot]) => slot.photo?.file.size > MAX_BYTES) || [];
  if (missing.length) {
    missing.reverse().forEach(([which, slot]) => form.alert(`form.missing_${which}`, {}, null, slot));
    missing.at(-1)[1].focus();
    return;
  }
  if (tooBig) {
    form.alert("errors.photo_too_many_bytes", { limit_mb: MAX_BYTES / 1e6 }, `form.${tooBig}`, large);
    large.focus();
    return;
  }
  const language = form.language(), { files, about } = form.given();
  if (line) form.tellAt(line);
  await form.send(files, (stored) => ({ ...request, ...about(stored), language }), event);
}
/* Both photographs, and what a request says of them once they are stored. */
form.complete = () => both.every(({ photo }) => photo);
form.given = () => {
  const whom = both.map(({ photo }) => photo.whom ?? null), orientations = both.map(({ photo }) => photo.orientation ?? null), leave_out = page.leftOut(element);
  return { files: both.map(({ photo }) => photo.file), about: ([current, target]) => ({ current, target, whom, orientations, leave_out }) };
};

/* The photographs that are still being scaled down and are not in their slots yet. Callers must not await an empty list:
a press that comes right after would otherwise be handled before this one. */
function beingShrunk() {
  return both.map((slot) => slot.ready).filter(Boolean);
}

/* The error about a photograph is shown in its slot, with an offer to do something else with it, if there is one. */
form.refused = (which, sentence, offer) => {
  form.alert(sentence, {}, null, slots[which]);
  if (offer) page.apply(slots[which].node.querySelector(".fmp-alert").appendChild(offer.cloneNode(true)));
  slots[which].focus();
};
/* Show the people found in each photograph, the first slot last, so that it is in view; true if one has to be selected. */
form.seen = (people) => Object.entries(slots).reverse().map(([which, slot]) => {
  const undecided = slot.seen(people[which]);
  shelf.putPhoto(which, slot.photo);
  return undecided;
}).some(Boolean);

const actions = {
  swap: async () => {
    const { current, target } = slots;
    if (beingShrunk().length) await form.settled(...beingShrunk());
    form.calm();
    both.forEach((slot) => slot.stop());
    if (!current.photo && !target.photo) return;
    [current.photo, target.photo] = [target.photo, current.photo];
    both.forEach((slot) => { slot.draw(); slot.changed(); });
    form.status("form.swapped");
  },
  submit: () => form.ask(),
  describe: () => {
    find("[data-action=submit]").focus({ preventScroll: true }); // the pressed button goes away
    return form.ask({ difference: true });
  },
  clear: () => {
    form.calm();
    both.forEach((slot) => slot.set(null));
    shelf.clear();
    form.shows(null);
    form.status("form.cleared");
    trigger("clear");
    slots.current.focus();
  },
};

element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button || (form.busy && button.dataset.action !== "submit")) return;
  const slot = slots[button.closest(".fmp-photo")?.dataset.which], { action } = button.dataset;
  if (action in actions) actions[action](button);
  else slot.act(action, button);
});
element.addEventListener("change", (event) => {
  if (event.target.name === "fmp-answer-language") {
    answerLanguage = form.language();
    shelf.put("language", answerLanguage);
    document.dispatchEvent(new CustomEvent("fmp:answer-language"));
  }
  if (event.target.closest(".fmp-options")) tellChosen();
  if (event.target.name === "fmp-leave-out") form.changed();
});
document.addEventListener("paste", (event) => {
  if (!form.open || form.busy || event.target.matches?.("input:not([type=file],[type=radio]), textarea") || !event.clipboardData?.files.length) return;
  const focused = slots[event.target.closest?.(".fmp-photo")?.dataset.which];
  (focused || both.find((slot) => !slot.photo) || slots.current).take(event.clipboardData.files);
});

function followPage() {
  const choices = [...element.querySelectorAll("input[name=fmp-answer-language]")], of = (code) => choices.find(({ value }) => value === code);
  (of(answerLanguage) || of(page.language)).checked = true;
  tellChosen();
  document.dispatchEvent(new CustomEvent("fmp:answer-language"));
}
/* The selection is shown in the title of the collapsed section. */
function tellChosen() {
  const named = [...element.querySelectorAll(".fmp-options input[type=radio]:checked + span")].map((span) => span.textContent);
  find(".fmp-chosen").textContent = [...named, ...page.leftOutWords(element)].join(" · ");
}
document.addEventListener("fmp:language", followPage);
page.apply(element);
followPage();
Promise.all(Object.entries(slots).map(async ([which, slot]) => {
  const photo = await shelf.photo(which);
  if (photo && !slot.photo && !slot.ready) slot.set(photo.file, photo.title, photo);
})).then(() => {
  form.reopened(form.complete());
  document.dispatchEvent(new CustomEvent("fmp:back", { detail: "correct" }));
});

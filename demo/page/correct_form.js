/* The form of "Correct my pose": two photographs; nothing is sent before the button is pressed. */
const page = window.FMP;
const find = (selector) => element.querySelector(selector);
const { maxBytes, delay } = find(".fmp-form").dataset;
const MAX_BYTES = Number(maxBytes);
const form = page.asking("correct", { element, props, trigger, upload }, { working: "form.working", ready: "form.ready" });
const slots = Object.fromEntries([...element.querySelectorAll(".fmp-photo")].map((node) => [node.dataset.which, page.photoSlot(node, form, Number(delay))]));
const both = Object.values(slots);
let answerLanguageChosen = false;

async function submit() {
  if (form.busy) return;
  form.calm();
  both.forEach((slot) => slot.stop());
  const missing = both.find((slot) => !slot.photo), [tooBig, large] = Object.entries(slots).find(([, slot]) => slot.photo?.file.size > MAX_BYTES) || [];
  if (missing) {
    form.alert("errors.photo_missing");
    missing.focus();
    return;
  }
  if (tooBig) {
    form.alert("errors.photo_too_many_bytes", { limit_mb: MAX_BYTES / 1e6 }, `form.${tooBig}`);
    large.focus();
    return;
  }
  const language = find("input[name=fmp-answer-language]:checked").value;
  const model = find("input[name=fmp-answer-model]:checked")?.value ?? null;
  await form.send(both.map(({ photo }) => photo.file), ([current, target]) => ({ current, target, language, model }));
}

const actions = {
  swap: () => {
    const { current, target } = slots;
    form.calm();
    both.forEach((slot) => slot.stop());
    if (!current.photo && !target.photo) return;
    [current.photo, target.photo] = [target.photo, current.photo];
    both.forEach((slot) => slot.draw());
    form.status("form.swapped");
  },
  submit,
  clear: () => {
    form.calm();
    both.forEach((slot) => slot.set(null));
    form.status("form.cleared");
    trigger("clear");
    slots.current.focus();
  },
  example: async (button) => {
    form.calm();
    const pictures = [...button.querySelectorAll("img")];
    const files = await Promise.all(pictures.map(async (picture) => (await fetch(picture.src)).blob()));
    pictures.forEach(({ dataset: { which } }, index) => slots[which].set(files[index], page.inEach(`scenes.${button.dataset.name}_${which}`)));
    form.status("form.photo_set");
    const go = find("[data-action=submit]");
    go.focus({ preventScroll: true });
    go.scrollIntoView({ block: "nearest" });
  },
};

element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button || (form.busy && button.dataset.action !== "submit")) return;
  const slot = slots[button.closest(".fmp-photo")?.dataset.which];
  if (slot) slot.act(button.dataset.action);
  else actions[button.dataset.action](button);
});
element.addEventListener("change", (event) => {
  if (event.target.name === "fmp-answer-language") answerLanguageChosen = true;
});
document.addEventListener("paste", (event) => {
  if (!form.open || form.busy || event.target.matches?.("input:not([type=file],[type=radio]), textarea") || !event.clipboardData?.files.length) return;
  const focused = slots[event.target.closest?.(".fmp-photo")?.dataset.which];
  (focused || both.find((slot) => !slot.photo) || slots.current).take(event.clipboardData.files);
});

function followPage() {
  if (!answerLanguageChosen) find(`input[name=fmp-answer-language][value=${page.language}]`).checked = true;
}
document.addEventListener("fmp:language", followPage);
followPage();
page.apply(element);

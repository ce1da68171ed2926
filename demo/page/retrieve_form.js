/* The form of "Find the pose": a photograph, a description, pictures to choose from; nothing is sent before the button is pressed. */
const page = window.FMP;
const find = (selector) => element.querySelector(selector);
const { maxBytes, delay, least, most, longest, scripts } = find(".fmp-form").dataset;
const [MAX_BYTES, LEAST, MOST, LONGEST] = [maxBytes, least, most, longest].map(Number);
const LETTERS = Object.entries(JSON.parse(scripts)).map(([code, script]) => [code, new RegExp(`\\p{Script=${script}}`, "u")]);
const form = page.asking("retrieve", { element, props, trigger, upload }, { working: "find.working", progress: "find.progress", ready: "find.ready" });
const slot = page.photoSlot(find(".fmp-photo"), form, Number(delay));
const description = find("textarea"), area = find(".fmp-candidates"), list = find(".fmp-choices");
let candidates = []; // { file, title, url }; `title` is a text, or one for each language

/* The language whose script at least half of the letters are in, as the server will see it. */
function language(text) {
  const letters = [...text].filter((letter) => /\p{L}/u.test(letter));
  const shares = LETTERS.map(([code, own]) => [code, letters.filter((letter) => own.test(letter)).length / letters.length]);
  const [code, share] = shares.reduce((best, one) => (one[1] > best[1] ? one : best), ["", 0]);
  return share >= 1 / 2 ? code : "";
}
function recognise() {
  const line = find(".fmp-recognised"), code = language(description.value);
  description.lang = code;
  if (!/\p{L}/u.test(description.value)) { line.textContent = ""; line.removeAttribute("data-i18n"); return; }
  if (code) page.write(line, "find.recognised", { language: page.inEach("language.name")[code] });
  else page.write(line, "find.unrecognised");
}

function draw() {
  list.replaceChildren(...candidates.map(({ url, title }, index) => {
    const item = document.createElement("li"), image = document.createElement("img"), name = document.createElement("span"), remove = document.createElement("button");
    const number = index + 1;
    image.onload = () => page.write(image, "find.picture_alt", { number, name: title, width: image.naturalWidth, height: image.naturalHeight }, "alt");
    image.onerror = () => { image.hidden = true; page.write(name, "find.no_preview", { number, name: title }); };
    image.src = url;
    page.write(name, "find.picture", { number });
    remove.type = "button";
    remove.className = "fmp-remove";
    remove.dataset.action = "remove-candidate";
    remove.dataset.number = index;
    page.write(remove, "find.remove", { number }, "aria-label");
    page.write(remove, "find.remove", { number }, "title");
    remove.append("×");
    item.append(image, name, remove);
    return item;
  }));
}
function put(files, titles = files.map((file) => file.name || "")) {
  candidates.push(...files.map((file, index) => ({ file, title: titles[index], url: URL.createObjectURL(file) })));
  draw();
}
function discard() {
  candidates.forEach(({ url }) => URL.revokeObjectURL(url));
  candidates = [];
  draw();
}
function take(given) {
  const files = [...(given || [])].filter((item) => item instanceof Blob);
  form.calm();
  if (!files.length) { form.alert("faults.not_file"); return; }
  const found = candidates.length + files.length;
  if (found > MOST) { form.alert("errors.candidates_count", { least: LEAST, most: MOST, found }); return; }
  put(files);
  form.status("find.count", { count: candidates.length, most: MOST });
}

/* What keeps the question from being sent: what to say, and where it can be mended. */
function flaw() {
  const text = description.value, large = candidates.findIndex(({ file }) => file.size > MAX_BYTES);
  const limit = { limit_mb: MAX_BYTES / 1e6 };
  if (!slot.photo) return [["errors.pictures_missing"], slot];
  if (!/\p{L}/u.test(text)) return [["errors.description_empty"], description];
  if ([...text].length > LONGEST) return [["errors.description_too_long", { limit: LONGEST }], description];
  if (!language(text)) return [["errors.description_foreign"], description];
  if (candidates.length < LEAST) return [["errors.candidates_count", { least: LEAST, most: MOST, found: candidates.length }], find("[data-action=add]")];
  if (slot.photo.file.size > MAX_BYTES) return [["errors.photo_too_many_bytes", limit, "form.current"], slot];
  if (large >= 0) return [["errors.photo_too_many_bytes", limit, ["form.candidate", { number: large + 1, of: candidates.length }]], list.children[large].querySelector("button")];
  return null;
}
async function ask() {
  if (form.busy) return;
  form.calm();
  slot.stop();
  const [sentence, place] = flaw() || [];
  if (sentence) {
    form.alert(...sentence);
    place.focus();
    return;
  }
  await form.send([slot.photo, ...candidates].map(({ file }) => file), ([current, ...others]) => ({ current, description: description.value, candidates: others }));
}

const actions = {
  sentence: (button) => {
    description.value = [description.value.trim(), button.textContent].filter(Boolean).join(" ");
    recognise();
    description.focus();
  },
  add: () => area.querySelector("input[type=file]").click(),
  "paste-candidates": () => page.pasted(form, take),
  "remove-candidate": ({ dataset: { number } }) => {
    const [gone] = candidates.splice(number, 1);
    URL.revokeObjectURL(gone.url);
    draw();
    form.status("find.count", { count: candidates.length, most: MOST });
    (list.children[Math.min(number, candidates.length - 1)]?.querySelector("button") || find("[data-action=add]")).focus();
  },
  "search-example": async (button) => {
    form.calm();
    const pictures = [...button.parentElement.querySelectorAll("img")];
    const [current, ...others] = await Promise.all(pictures.map(async (picture) => (await fetch(picture.src)).blob()));
    discard();
    slot.set(current, page.inEach("find.example"));
    put(others, others.map(() => page.inEach("find.example")));
    description.value = button.textContent;
    recognise();
    form.status("find.count", { count: candidates.length, most: MOST });
    const go = find("[data-action=find]");
    go.focus({ preventScroll: true });
    go.scrollIntoView({ block: "nearest" });
  },
  find: ask,
  empty: () => {
    form.calm();
    discard();
    slot.set(null);
    description.value = "";
    recognise();
    form.status("find.cleared");
    trigger("clear");
    slot.focus();
  },
};

element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button || (form.busy && button.dataset.action !== "find")) return;
  if (button.closest(".fmp-photo")) slot.act(button.dataset.action);
  else actions[button.dataset.action](button);
});
description.addEventListener("input", recognise);
page.takesFiles(area, form, take);
document.addEventListener("paste", (event) => {
  const { files, types } = event.clipboardData || { files: [], types: [] };
  if (!form.open || form.busy || !files.length || (event.target === description && types.includes("text/plain"))) return;
  event.preventDefault();
  const focused = event.target.closest?.(".fmp-photo, .fmp-candidates");
  if (focused ? focused !== area : !slot.photo) slot.take(files);
  else take(files);
});
page.apply(element);

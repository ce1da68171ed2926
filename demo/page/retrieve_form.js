/* The form of "Find the pose": a photograph, a description, candidate pictures; nothing is sent before the button is pressed. */
const page = window.FMP;
const find = (selector) => element.querySelector(selector);
const { maxBytes, least, most, longest, scripts, spelt } = find(".fmp-form").dataset;
const [MAX_BYTES, MIN_CANDIDATES, MAX_CANDIDATES, MAX_DESCRIPTION_CHARS] = [maxBytes, least, most, longest].map(Number);
const LETTERS = Object.entries(JSON.parse(scripts)).map(([code, script]) => [code, new RegExp(`\\p{Script=${script}}`, "u")]);
/* For a language that is also typed in Latin letters: its words in folded spelling, and English words to ignore. */
const SPELT = Object.entries(JSON.parse(spelt)).map(([code, { words, also_english: english, folds, least }]) => ({
  code, least, words: new Set(words), english: new Set(english), folds: folds.map(([several, one]) => [new RegExp(several, "g"), one]),
}));
const form = page.asking("retrieve", { element, props, trigger, upload }, { working: "find.working", progress: "find.progress", ready: "find.ready", outdated: "ranking.outdated" });
const shelf = page.kept("retrieve");
const slot = page.photoSlot(find(".fmp-photo"), form, page.shrunk);
const description = find("textarea"), area = find(".fmp-candidates"), list = find(".fmp-choices");
const words = { node: find(".fmp-description") }, choices = { node: area }; // places of problems besides the photograph
let emptied = 0; // number of removals of everything, so that pending pictures are ignored afterwards
let taken = null; // a promise while pictures are being scaled down
let coming = 0; // number of pictures being scaled down
let keeping = null; // the current storing of candidates; earlier ones are abandoned
let whole = false; // whether the owner's collection is searched, not the candidates
let candidates = []; // { id, file, width, height, title, url }; `title` is a text, or one for each language

/* What a ranking is about. */
form.asks = () => JSON.stringify([slot.photo?.id, slot.photo?.whom, description.value.trim(), whole || candidates.map(({ id }) => id)]);
slot.chosen = () => form.ask();
form.seen = (people) => {
  const undecided = slot.seen(people);
  shelf.putPhoto("current", slot.photo);
  return undecided;
};
slot.changed = () => { shelf.putPhoto("current", slot.photo); form.changed(); };
/* All candidates are stored or none: a ranking of some would differ, and a single one takes the space of other data. */
async function keepCandidates() {
  const mine = keeping = {};
  shelf.clear("candidate");
  shelf.put("count", candidates.length || null);
  form.changed();
  const held = await Promise.all(candidates.map((candidate, index) => shelf.putPhoto(`candidate${index}`, candidate)));
  if (mine !== keeping || held.every(Boolean)) return;
  shelf.clear("candidate");
  shelf.put("count", null);
}
function describe() {
  recognise();
  shelf.put("description", description.value);
  form.changed();
}

/* The language whose script at least half of the letters are in, by the server's rule. */
function language(text) {
  const letters = [...text].filter((letter) => /\p{L}/u.test(letter));
  const shares = LETTERS.map(([code, own]) => [code, letters.filter((letter) => own.test(letter)).length / letters.length]);
  const [code, share] = shares.reduce((best, one) => (one[1] > best[1] ? one : best), ["", 0]);
  return share >= 1 / 2 ? code : "";
}
/* The language of a text in Latin letters, if it is not English, by the server's rule. */
function typedAs(text) {
  const typed = (text.match(/[A-Za-z]+/g) || []).map((word) => word.toLowerCase());
  return SPELT.find(({ words, english, folds, least }) => {
    const known = (word) => words.has(folds.reduce((key, [several, one]) => key.replace(several, one), word));
    const foreignWords = typed.filter((word) => !english.has(word));
    const own = foreignWords.filter(known).length;
    return (own && typed.every(known) ? typed.length : own) >= Math.max(least, foreignWords.length - own);
  })?.code;
}
function recognise() {
  const line = find(".fmp-recognised"), code = language(description.value);
  const typed = typedAs(description.value);
  description.lang = typed ? `${typed}-Latn` : code;
  if (!/\p{L}/u.test(description.value)) { page.clear(line); return; }
  if (typed) page.write(line, "find.recognised_latin", { language: page.inEach("language.name")[typed] });
  else if (code) page.write(line, "find.recognised", { language: page.inEach("language.name")[code] });
  else page.write(line, "find.unrecognised");
}

function draw() {
  list.replaceChildren(...candidates.map(({ url, title, width, height }, index) => {
    const item = document.createElement("li"), image = document.createElement("img"), name = document.createElement("span"), remove = document.createElement("button");
    const number = index + 1;
    image.onload = () => page.write(image, "find.picture_alt", { number, name: title, width: width || image.naturalWidth, height: height || image.naturalHeight }, "alt");
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
/* `pictures` are { file, title } with other known properties of each. */
function put(pictures) {
  candidates.push(...pictures.map((one) => ({ id: page.number(), ...one, url: URL.createObjectURL(one.file) })));
  draw();
  keepCandidates();
}
/* Remove all candidates, including those that are still being scaled down. */
function discard() {
  emptied += 1;
  coming = 0;
  keeping = null;
  candidates.forEach(({ url }) => URL.revokeObjectURL(url));
  candidates = [];
  draw();
}
function take(items) {
  const files = [...(items || [])].filter((item) => item instanceof Blob);
  form.calm();
  if (!files.length) { form.alert("faults.not_file", {}, null, choices); return; }
  const total = candidates.length + coming + files.length;
  if (total > MAX_CANDIDATES) { form.alert("errors.candidates_count", { least: MIN_CANDIDATES, most: MAX_CANDIDATES, found: total }, null, choices); return; }
  coming += files.length;
  const round = emptied, mine = taken = Promise.resolve(taken).then(async () => {
    const small = [];
    for (const file of files) { // one at a time: many large ones together exceed a phone's memory
      if (round === emptied) small.push({ title: file.name || "", ...await page.shrunk(file) });
    }
    if (taken === mine) taken = null;
    if (round !== emptied) return;
    coming -= files.length;
    put(small);
    form.status("find.count", { count: candidates.length, most: MAX_CANDIDATES });
  });
}

/* The problem that prevents sending: its message, its place, and where it can be fixed. */
function flaw() {
  const text = description.value, large = candidates.findIndex(({ file }) => file.size > MAX_BYTES);
  const limit = { limit_mb: MAX_BYTES / 1e6 };
  if (!slot.photo) return [["form.missing_current", {}, null, slot], slot];
  if (!/\p{L}/u.test(text)) return [["errors.description_empty", {}, null, words], description];
  if ([...text].length > MAX_DESCRIPTION_CHARS) return [["errors.description_too_long", { limit: MAX_DESCRIPTION_CHARS }, null, words], description];
  if (!language(text)) return [["errors.description_foreign", {}, null, words], description];
  if (whole) return slot.photo.file.size > MAX_BYTES ? [["errors.photo_too_many_bytes", limit, "form.current", slot], slot] : null;
  if (candidates.length < MIN_CANDIDATES || candidates.length > MAX_CANDIDATES) return [["errors.candidates_count", { least: MIN_CANDIDATES, most: MAX_CANDIDATES, found: candidates.length }, null, choices], find("[data-action=add]")];
  if (slot.photo.file.size > MAX_BYTES) return [["errors.photo_too_many_bytes", limit, "form.current", slot], slot];
  if (large >= 0) return [["errors.photo_too_many_bytes", limit, ["form.candidate", { number: large + 1, of: candidates.length }], choices], list.children[large].querySelector("button")];
  return null;
}
/* The error about a picture is shown in its place. */
form.refused = (which, sentence, number) => {
  form.alert(sentence, {}, null, which === "current" ? slot : choices);
  const item = list.children[number - 1];
  item?.classList.add("fmp-wrong");
  if (which === "current") slot.focus();
  else (item?.querySelector("button") || find("[data-action=add]")).focus();
};
form.ask = async (collection = whole) => {
  if (form.busy) return;
  whole = collection;
  shelf.put("whole", whole || null);
  if (slot.ready || taken) await form.settled(slot.ready, taken);
  form.calm();
  slot.stop();
  const [sentence, place] = flaw() || [];
  if (sentence) {
    form.alert(...sentence);
    place.focus({ preventScroll: true });
    return;
  }
  await form.send([slot.photo, ...whole ? [] : candidates].map(({ file }) => file), ([current, ...others]) => ({ current, description: description.value, candidates: others, whom: slot.photo.whom ?? null }));
};

const actions = {
  sentence: (button) => {
    description.value = [description.value.trim(), button.textContent].filter(Boolean).join(" ");
    describe();
    description.focus();
  },
  add: () => area.querySelector("input[type=file]").click(),
  "paste-candidates": () => page.pasted(form, take),
  "remove-candidate": ({ dataset: { number } }) => {
    const [gone] = candidates.splice(number, 1);
    URL.revokeObjectURL(gone.url);
    draw();
    keepCandidates();
    form.status("find.count", { count: candidates.length, most: MAX_CANDIDATES });
    (list.children[Math.min(number, candidates.length - 1)]?.querySelector("button") || find("[data-action=add]")).focus();
  },
  "search-example": async (button) => {
    form.calm();
    const round = emptied += 1, pictures = [...button.parentElement.querySelectorAll("img")];
    const [current, ...others] = await Promise.all(pictures.map(async (picture) => (await fetch(picture.src)).blob()));
    if (round !== emptied) return; // everything was removed meanwhile, or another example was chosen
    discard();
    slot.set(current, page.inEach("find.example"));
    description.value = button.textContent;
    describe();
    put(others.map((file) => ({ file, title: page.inEach("find.example") })));
    await form.ask(false);
  },
  find: () => form.ask(false),
  collection: () => form.ask(true),
  empty: () => {
    form.calm();
    discard();
    slot.set(null);
    description.value = "";
    describe();
    shelf.clear();
    form.shows(null);
    form.status("find.cleared");
    trigger("clear");
    slot.focus();
  },
};

element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button || (form.busy && button.dataset.action !== "find")) return;
  if (button.closest(".fmp-photo")) slot.act(button.dataset.action, button);
  else actions[button.dataset.action](button);
});
description.addEventListener("input", describe);
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

async function bringBack() {
  const count = shelf.get("count") || 0;
  const [current, ...others] = await Promise.all(["current", ...Array.from({ length: count }, (_, index) => `candidate${index}`)].map(shelf.photo));
  if (slot.photo || slot.ready || candidates.length || taken || description.value) { form.reopened(); return; } // the visitor has already entered something
  if (current) slot.set(current.file, current.title, current);
  description.value = shelf.get("description") || "";
  whole = Boolean(shelf.get("whole"));
  recognise();
  if (others.length && others.every(Boolean)) put(others);
  form.reopened(Boolean(current && (whole || candidates.length)));
  document.dispatchEvent(new CustomEvent("fmp:back", { detail: "retrieve" }));
}
bringBack();

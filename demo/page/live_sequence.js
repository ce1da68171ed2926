/* The choice of an exercise: one pose, the sun salutation with its rounds, or a sequence of the visitor's own pictures, stored only in this browser. */
const list = find(".fmp-goal-list"), panel = find(".fmp-live-list"), fresh = find(".fmp-new-sequence");
const chosen = (name) => find(`input[name=fmp-live-${name}]:checked`)?.value;
const MAX_SEQUENCES = 12, HOLDS = [1, 2, 3, 5, 10]; // seconds, as in the form
let own = [], edited = null; // the visitor's sequences: { id, name, hold, pictures: [{ name, file }] }, and the one that is shown
let kept = true; // whether this browser stores them

/* The result of `ask` on the stored sequences; undefined if the browser stores none, as in some private windows. */
async function stored(mode, ask) {
  let database;
  const done = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
  try {
    const request = indexedDB.open("fixmypose.sequences", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("sequences", { keyPath: "id" });
    database = await done(request);
    const transaction = database.transaction("sequences", mode), ended = new Promise((resolve, reject) => { transaction.oncomplete = resolve; transaction.onabort = reject; });
    return (await Promise.all([done(ask(transaction.objectStore("sequences"))), ended]))[0]; // a full disk is reported at the end
  } catch { return undefined; } finally { database?.close(); }
}
const urls = new Map(); // of the files on display
const urlOf = (file) => urls.get(file) || urls.set(file, URL.createObjectURL(file)).get(file);
function forgetUrl({ file }) {
  URL.revokeObjectURL(urls.get(file));
  urls.delete(file);
}
const inEvery = (name) => Object.fromEntries(Object.keys(window.FMP_TEXTS).map((code) => [code, name]));
const node = (tag, className, more = {}) => Object.assign(document.createElement(tag), { className, ...more });

/* The chosen exercise: its goals, each with picture, name and breathing cue; how long each is held, and its name. Null without a picture. */
function exercise() {
  const choice = find("input[name=fmp-live-goal]:checked"), { sequence, otherLeg, hold } = choice.closest("label").dataset;
  if (edited) {
    const once = edited.pictures.map(({ file, name }) => ({ file, url: urlOf(file), name: inEvery(name) }));
    return once.length ? { goals: inRounds(once, (goal, at) => ({ ...goal, again: at })), hold: edited.hold, each: once.length, title: inEvery(edited.name) } : null;
  }
  if (!choice.value) return slot.photo && { goals: [{ file: slot.photo.file, url: slot.photo.url, name: page.inEach("live.own") }], hold: HOLD, each: 1, title: page.inEach("live.own") };
  const goal = (picture, room) => ({ picture, url: `live/picture?name=${picture}`, name: page.inEach(`${room}.${picture}`) });
  if (!sequence) return { goals: [goal(choice.value, "captions")], hold: HOLD, each: 1, title: page.inEach(`captions.${choice.value}`) };
  const others = JSON.parse(otherLeg), pose = (name) => ({ ...goal(name, "poses"), cue: page.inEach(`breath.${name}`) }), names = sequence.split(" ");
  const goals = inRounds(names.map(pose), (_, at, round) => pose(round % 2 ? others[names[at]] || names[at] : names[at]));
  return { goals, hold: Number(hold), each: names.length, title: page.inEach(`poses.${choice.value}_name`) };
}
/* The goals of the first round, and those that `later` makes from them for the others. */
function inRounds(goals, later) {
  return Array.from({ length: Number(chosen("rounds")) }, (_, round) => goals.map((goal, at) => (round ? later(goal, at, round) : goal))).flat();
}

/* Show only the elements of the current choice. */
function showChoice() {
  const { value } = find("input[name=fmp-live-goal]:checked"), isOwn = value === "new" || value.startsWith("own ");
  find(".fmp-live-own").hidden = Boolean(value);
  edited = value === "new" ? { id: page.number(), name: page.say("live.list_name_first"), hold: HOLD, pictures: [] } : isOwn ? own.find(({ id }) => value === `own ${id}`) : null;
  panel.hidden = !edited;
  find(".fmp-live-rounds").hidden = !edited && !find("input[name=fmp-live-goal]:checked").closest("[data-sequence]");
  find(".fmp-live-rounds p").hidden = Boolean(edited);
  if (edited) showList();
}
function showList(focus = null) {
  panel.querySelector("[name=fmp-live-list-name]").value = edited.name;
  panel.querySelector("[name=fmp-live-list-hold]").value = edited.hold;
  panel.querySelector("[data-action=list-delete]").hidden = !own.includes(edited);
  panel.querySelector(".fmp-live-unkept").hidden = kept;
  panel.querySelector("ol").replaceChildren(...edited.pictures.map(({ name, file }, at) => {
    const item = node("li", "fmp-live-item"), row = node("div", "fmp-row"), image = node("img", "", { src: urlOf(file), alt: "" });
    image.onerror = () => image.classList.add("fmp-unseen-picture"); // browsers cannot show HEIC; the server reads it
    for (const [action, label, sign, off] of [["list-up", "live.list_up", "↑", !at], ["list-down", "live.list_down", "↓", at === edited.pictures.length - 1], ["list-remove", "live.list_remove", "✕", false]]) {
      const button = row.appendChild(node("button", "fmp-button", { type: "button", textContent: sign }));
      Object.assign(button.dataset, { action, at });
      button.setAttribute("aria-disabled", String(off));
      page.write(button, label, { number: at + 1 }, "aria-label");
    }
    item.append(image, node("span", "", { textContent: `${at + 1}. ${name}` }), row);
    return item;
  }));
  if (focus) (panel.querySelector(focus) || panel.querySelector("[data-action=list-add]")).focus();
}
/* Store the sequence that is shown, and list it among the poses. */
async function keep() {
  if (!own.includes(edited) && edited.pictures.length) own.push(edited);
  if (!own.includes(edited)) return;
  const mine = edited;
  drawCards();
  kept = (await stored("readwrite", (sequences) => sequences.put(mine))) !== undefined;
  panel.querySelector(".fmp-live-unkept").hidden = kept;
}
function drawCards() {
  list.querySelectorAll(".fmp-own-sequence").forEach((card) => card.remove());
  for (const { id, name, pictures } of own) {
    const card = node("label", "fmp-goal fmp-sequence fmp-own-sequence"), thumbs = node("span", "fmp-thumbs");
    thumbs.setAttribute("aria-hidden", "true");
    thumbs.append(...pictures.slice(0, 8).map(({ file }) => node("img", "", { src: urlOf(file), alt: "" })));
    card.append(node("input", "", { type: "radio", name: "fmp-live-goal", value: `own ${id}`, checked: edited?.id === id }), thumbs, node("span", "", { textContent: name }));
    fresh.before(card);
  }
  fresh.hidden = own.length >= MAX_SEQUENCES;
  tellEdges();
}
/* Add pictures to the sequence, up to the maximum of an exercise. */
async function addPictures(files) {
  const mine = edited, given = [...files].filter((file) => file instanceof Blob), room = MAX_PICTURES - mine.pictures.length;
  form.calm();
  if (given.length > room) form.alert("live.list_full", { most: MAX_PICTURES }, null, listPlace);
  const taken = given.slice(0, room).filter(({ size }) => size);
  const made = await Promise.all(taken.map(async (file) => ({ name: file.name.replace(/\.\w{1,5}$/, "").slice(0, 40) || "·", file: (await page.shrunk(file)).file })));
  mine.pictures.push(...made.slice(0, MAX_PICTURES - mine.pictures.length)); // others may have been added meanwhile
  if (edited !== mine) return;
  keep();
  showList("[data-action=list-add]");
  if (made.length && given.length <= room) form.status("live.list_added", { count: mine.pictures.length });
}
const listPlace = { node: panel, focus: () => panel.querySelector("[data-action=list-add]").focus() };
/* The picture of the sequence in which the server found no person. */
function markPicture(at) { panel.querySelectorAll("ol li")[at]?.classList.add("fmp-wrong"); }

const listActions = {
  "list-add": () => panel.querySelector("[type=file]").click(),
  "list-up": (at) => swap(at, at - 1, "up"),
  "list-down": (at) => swap(at, at + 1, "down"),
  "list-remove": (at) => { edited.pictures.splice(at, 1).forEach(forgetUrl); keep(); showList(`[data-action=list-remove][data-at="${Math.min(at, edited.pictures.length - 1)}"]`); },
  "list-delete": async () => {
    const { id, pictures } = edited;
    own = own.filter((one) => one !== edited);
    await stored("readwrite", (sequences) => sequences.delete(id));
    fresh.querySelector("input").checked = true;
    showChoice();
    drawCards();
    pictures.forEach(forgetUrl);
    form.status("live.list_deleted");
    fresh.querySelector("input").focus();
  },
};
function swap(at, to, way) {
  const { pictures } = edited;
  if (to < 0 || to >= pictures.length) return;
  [pictures[at], pictures[to]] = [pictures[to], pictures[at]];
  keep();
  showList(`[data-action=list-${way}][data-at="${to}"]`);
}
panel.addEventListener("input", ({ target }) => {
  if (target.name === "fmp-live-list-name") edited.name = target.value.trim().slice(0, 60) || page.say("live.list_name_first");
  if (target.name === "fmp-live-list-hold") edited.hold = HOLDS.find((hold) => String(hold) === target.value) || HOLD;
});
panel.addEventListener("change", ({ target }) => { if (target.type !== "file") keep(); });
page.takesFiles(panel, { get busy() { return form.busy; } }, addPictures);
panel.addEventListener("keydown", (event) => {
  const item = event.target.closest("[data-at]"), way = { ArrowUp: "list-up", ArrowDown: "list-down" }[event.key];
  if (!item || !way) return;
  event.preventDefault();
  listActions[way](Number(item.dataset.at));
});

/* The strip of poses: fade the edges that hide some, with arrows for a mouse. */
function tellEdges() {
  const strip = list.parentElement, left = list.scrollLeft > 4, right = list.scrollLeft + list.clientWidth < list.scrollWidth - 4;
  strip.classList.toggle("fmp-more-left", left);
  strip.classList.toggle("fmp-more-right", right);
}
list.addEventListener("scroll", tellEdges, { passive: true });
new ResizeObserver(tellEdges).observe(list);
const scrollGoals = (way) => list.scrollBy({ left: way * 0.8 * list.clientWidth, behavior: page.still() ? "auto" : "smooth" });

stored("readonly", (sequences) => sequences.getAll()).then((all) => {
  kept = all !== undefined;
  own = (all || []).filter(({ pictures }) => Array.isArray(pictures) && pictures.length);
  drawCards();
});

/* Go to another pose of the sequence out of order; beyond the last one the exercise is over. */
function skip(mine, by) {
  if (!mine?.opened || mine.done || mine.goals.length < 2) return;
  const number = (mine.wanted ?? mine.number) + by;
  if (number < 0) return;
  if (number >= mine.goals.length) { conclude(mine); return; }
  mine.wanted = number;
  showGoal(mine, number);
  const { cue, name } = mine.goals[number];
  mine.cued = performance.now();
  caption(cue || name, page.say(cue || name));
  speak(mine, page.say(cue || name));
}
/* The coach goes there between two frames; if its seat lacks the goal, a new seat is taken. */
async function goTo(mine) {
  const number = mine.wanted;
  try {
    if (number < mine.seat.first) await takeSeat(mine, number);
    else await ask("go_to", { seat: mine.seat.name, goal: number - mine.seat.first });
    if (mine.wanted === number) mine.wanted = null;
  } catch (error) {
    if (run !== mine) return;
    if (error.code && error.code !== "live_busy" && mine.wanted === number) mine.wanted = null;
    await mend(mine, error);
  }
}

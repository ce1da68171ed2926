/* The tab "Live": choose a pose, stand before the camera, do what is said, and see how it went. */
const { delay } = find(".fmp-photo")?.dataset || {};
const form = page.asking("live", { element, props, trigger, upload }, { working: "live.preparing", ready: "form.ready", outdated: "answer.outdated" });
const slot = page.photoSlot(find(".fmp-photo"), form, Number(delay) || 5, page.shrunk);
const stage = find(".fmp-live-stage"), setup = find(".fmp-live-setup"), summary = find(".fmp-live-summary"), press = (action) => find(`[data-action=${action}]`);
const STAY = 5000, LONGEST_PAUSE = 300_000, COUNT = 3; // milliseconds, and seconds of the countdown
const SLOW = 8; // frames a second below which advice comes late
const chosen = (name) => find(`input[name=fmp-live-${name}]:checked`)?.value;
const rest = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
let run = null; // the exercise that is going on

slot.changed = () => form.calm();

/* The goals of the choice: a name of the page's pictures or a file, what is shown of each, and what it is called. */
function goals() {
  const choice = find("input[name=fmp-live-goal]:checked");
  if (!choice.value) return slot.photo && [{ file: slot.photo.file, url: slot.photo.url, name: page.inEach("live.own") }];
  const label = choice.closest("label");
  const { sequence } = label.dataset, named = (picture) => page.inEach(`${sequence ? "poses" : "captions"}.${picture}`);
  return (sequence?.split(" ") || [choice.value]).map((picture) => ({ picture, url: `live/picture?name=${picture}`, name: named(picture) }));
}

async function start(film) {
  if (form.busy || run) return;
  if (slot.ready) await form.settled(slot.ready);
  form.calm();
  const wanted = goals();
  if (!wanted) {
    form.alert("live.missing_goal", {}, null, slot);
    slot.focus();
    return;
  }
  slot.stop();
  const mine = run = { goals: wanted, film, seat: null, bests: [], said: 0, paused: false, muted: false, number: -1, facing: true };
  form.busy = true;
  form.status("live.preparing", {});
  find(".fmp-form").setAttribute("aria-busy", "true");
  find(".fmp-form").classList.add("fmp-busy");
  try {
    await (film ? openFilm(film) : openCamera().then((facing) => { mine.facing = facing; }));
  } catch {
    give(mine);
    form.alert(film ? "live.film_broken" : "live.no_camera");
    press("film").focus();
    return;
  }
  if (run !== mine) { closePicture(); return; }
  try {
    await takeSeat(mine);
  } catch (error) {
    give(mine);
    refuse(mine, error);
    return;
  }
  if (run !== mine) return;
  calmForm();
  open(mine);
  await countdown(mine);
  watch(mine);
}
function calmForm() {
  form.busy = false;
  find(".fmp-form").setAttribute("aria-busy", "false");
  find(".fmp-form").classList.remove("fmp-busy");
  form.clearStatus();
}
async function takeSeat(mine) {
  mine.seat = (await ask("begin", {})).seat;
  mine.said = 0;
  for (const [index, { picture, file }] of mine.goals.slice(mine.first = Math.max(0, mine.number)).entries()) {
    if (mine.goals.length > 1) form.status("live.preparing_goal", { number: index + 1, of: mine.goals.length });
    await ask("goal", { seat: mine.seat, ...(picture && { picture }) }, picture ? undefined : file);
  }
}
function refuse(mine, error) {
  if (!error.text) { form.alert("faults.unreachable"); return; }
  const sentence = document.createElement("span");
  sentence.setAttribute("data-i18n", JSON.stringify({ text: error.text }));
  page.apply(sentence);
  form.alert(sentence, {}, null, mine.goals[0].file && error.code !== "live_full" ? slot : null);
}
/* End without a word: nothing of it is left. */
function give(mine) {
  calmForm();
  closePicture();
  if (mine.seat) ask("end", { seat: mine.seat }).catch(() => {});
  if (run === mine) run = null;
}

function open(mine) {
  setup.hidden = summary.hidden = true;
  stage.hidden = false;
  find(".fmp-go").hidden = true;
  mirrored(mine.film ? false : mine.facing);
  press("turn").hidden = Boolean(mine.film);
  press("mute").setAttribute("aria-pressed", String(mine.muted = !find("[name=fmp-live-voice]").checked));
  page.write(press("pause").firstElementChild, "live.pause");
  showGoal(mine, 0);
  caption("live.looking");
  note(null);
  find(".fmp-live-picture").focus({ preventScroll: true });
  stage.scrollIntoView({ block: "start" });
  document.body.classList.add("fmp-exercising");
}
function mirrored(now) {
  stage.classList.toggle("fmp-mirrored", now);
  press("mirror").setAttribute("aria-pressed", String(now));
}
function showGoal(mine, number) {
  if (mine.number === number) return;
  mine.number = number;
  const { url, name } = mine.goals[number], image = find(".fmp-live-goal img");
  image.src = url;
  page.write(image, "live.alt_goal", { name }, "alt");
  page.write(find(".fmp-live-goal figcaption"), mine.goals.length > 1 ? "live.goal_of" : "live.alt_goal", { number: number + 1, of: mine.goals.length, name });
}
async function countdown(mine) {
  const count = find(".fmp-live-count");
  for (let left = COUNT; left && run === mine; left -= 1) {
    count.textContent = left;
    speak(mine, String(left));
    await rest(1000);
  }
  count.textContent = "";
}

/* Large words: a key, or a text in every language. */
function caption(words, spoken = null) {
  const now = find(".fmp-live-now"), before = now.getAttribute("data-i18n");
  if (typeof words === "string") page.write(now, words);
  else now.setAttribute("data-i18n", JSON.stringify({ text: words }));
  if (now.getAttribute("data-i18n") !== before) page.apply(now);
  if (spoken) find(".fmp-live-heard").textContent = spoken;
}
function note(words) {
  const place = find(".fmp-live-note");
  if (!words) { place.textContent = ""; place.removeAttribute("data-i18n"); return; }
  if (typeof words === "string") { page.write(place, words); return; }
  place.setAttribute("data-i18n", JSON.stringify({ text: words }));
  page.apply(place);
}
function speak(mine, words) {
  if (!mine.muted) page.speak(words, { rate: Number(find("[name=fmp-live-rate]").value) });
}

/* One frame after the other, each when the last was answered. */
async function watch(mine) {
  let begun = performance.now(), pace = PERIOD;
  while (run === mine) {
    if (mine.paused) { await rest(100); begun = performance.now(); continue; }
    if (mine.film && video.ended) { finish(mine); return; }
    const grabbed = performance.now(), seen = frame(), picture = seen && await asJpeg(seen);
    if (run !== mine) return;
    if (!picture) { await rest(50); continue; }
    try {
      const advice = await ask("frame", { seat: mine.seat, tolerance: chosen("tolerance") }, picture);
      if (run !== mine) return;
      if (!mine.paused) show(mine, advice, seen);
      document.dispatchEvent(new CustomEvent("fmp:frame", { detail: performance.now() - grabbed }));
      mine.lost = false;
    } catch (error) {
      if (run !== mine) return;
      if (error.code === "live_gone" && !mine.again) { mine.again = true; await takeSeat(mine).catch(() => pause(mine, true, "live.lost")); }
      else if (error.code === "live_busy") await rest(60);
      else pause(mine, true, error.text || "live.lost");
      continue;
    }
    if (run !== mine || mine.done) return;
    const took = performance.now() - begun;
    pace += 0.1 * (Math.max(took, PERIOD) - pace);
    mine.slow = pace > 1000 / SLOW;
    await rest(Math.max(0, PERIOD - took));
    begun = performance.now();
  }
}
function show(mine, advice, seen) {
  const first = mine.first || 0;
  showGoal(mine, first + advice.goal);
  drawAdvice(advice);
  if (advice.best) mine.bests[first + advice.goal] = { canvas: seen, advice };
  const fixed = { nobody: "live.say_nobody", hold: "live.say_hold", reached: "live.say_reached", done: "live.say_done" }[advice.phase];
  const spoken = advice.said > mine.said ? advice.sayings.map((words) => words[page.language]).join(" ") : null;
  mine.said = Math.max(mine.said, advice.said);
  if (spoken) speak(mine, spoken);
  if (fixed) caption(advice.phase === "nobody" && advice.said === 0 ? "live.looking" : fixed, spoken);
  else if (advice.instruction) caption(advice.instruction, spoken);
  else if (spoken) find(".fmp-live-heard").textContent = spoken;
  note(advice.outside || (mine.slow ? "live.slow" : null));
  if (advice.phase === "done") { mine.done = true; setTimeout(() => run === mine && finish(mine), 1200); }
}

function pause(mine, now, words = "live.paused") {
  if (!mine || mine.done || mine.paused === now) return;
  mine.paused = now;
  page.write(press("pause").firstElementChild, now ? "live.go_on" : "live.pause");
  if (now) { page.hush(); if (mine.film) video.pause(); caption(words, typeof words === "string" ? page.say(words) : words[page.language]); stay(mine); }
  else { video.play().catch(() => {}); caption("live.looking"); }
}
/* A seat is kept for a while; who does not come back has ended. */
async function stay(mine) {
  const until = performance.now() + LONGEST_PAUSE;
  while (run === mine && mine.paused && performance.now() < until) {
    await ask("stay", { seat: mine.seat }).catch(() => {});
    mine.again = false;
    await rest(STAY);
  }
  if (run === mine && mine.paused) finish(mine);
}
async function finish(mine) {
  run = null;
  page.hush();
  closePicture();
  document.body.classList.remove("fmp-exercising");
  const told = await ask("end", { seat: mine.seat }).catch(() => ({ goals: [] }));
  showSummary(told.goals, mine.bests, mine.goals.map(({ name }) => name), mine.goals.length);
  stage.hidden = true;
  summary.hidden = false;
  find(".fmp-go").hidden = false;
  [press("film").hidden, press("other").hidden] = [true, false];
  page.write(press("start").firstElementChild, "live.again");
  if (!form.open) return;
  summary.querySelector("h2").focus({ preventScroll: true });
  summary.scrollIntoView({ block: "start" });
}
function choose() {
  summary.hidden = true;
  setup.hidden = false;
  [press("film").hidden, press("other").hidden] = [false, true];
  page.write(press("start").firstElementChild, "live.start");
  find("h2").focus();
}

const actions = {
  start: () => start(null),
  film: () => find("[name=fmp-live-film]").click(),
  other: choose,
  pause: () => pause(run, !run?.paused),
  mute: () => { if (!run) return; run.muted = !run.muted; if (run.muted) page.hush(); press("mute").setAttribute("aria-pressed", String(run.muted)); },
  mirror: () => mirrored(!stage.classList.contains("fmp-mirrored")),
  turn: () => run && openCamera(true).then((facing) => mirrored(facing), () => pause(run, true, "live.no_camera")),
  end: () => run && finish(run),
  "save-best": saveBest,
};
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button) return;
  if (button.closest(".fmp-photo")) slot.act(button.dataset.action, button);
  else actions[button.dataset.action]?.(button);
});
element.addEventListener("change", ({ target }) => {
  if (target.name === "fmp-live-goal") find(".fmp-live-own").hidden = Boolean(target.value);
  if (target.name === "fmp-live-film" && target.files.length) { start(target.files[0]); target.value = ""; }
  if (target.closest(".fmp-options")) tellChosen();
});
const KEYS = { p: "pause", m: "mute", Escape: "end" };
document.addEventListener("keydown", (event) => {
  if (!run || stage.hidden || event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input, textarea, select")) return;
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action) { event.preventDefault(); actions[action](); }
});
document.addEventListener("paste", (event) => {
  if (!form.open || run || chosen("goal") || !event.clipboardData?.files.length) return;
  slot.take(event.clipboardData.files);
});
document.addEventListener("visibilitychange", () => { if (document.hidden) pause(run, true); });
document.addEventListener("fmp:tab", ({ detail }) => { if (detail !== "live" && run) (run.seat ? finish : give)(run); }); // no camera goes on unseen
window.addEventListener("pagehide", () => { if (run?.seat) navigator.sendBeacon(new URL(`live/end?seat=${run.seat}`, document.baseURI)); });
document.addEventListener("fmp:language", tellChosen);
function tellChosen() {
  find(".fmp-chosen").textContent = find("input[name=fmp-live-tolerance]:checked + span").textContent;
}
page.apply(element);
tellChosen();

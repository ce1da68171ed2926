/* The tab "Live": choose a pose, stand before the camera, do what is said, and see how it went. */
const { delay } = find(".fmp-photo").dataset;
const form = page.asking("live", { element, props, trigger, upload }, { working: "live.preparing", ready: "form.ready", outdated: "answer.outdated" });
const slot = page.photoSlot(find(".fmp-photo"), form, Number(delay), page.shrunk);
const stage = find(".fmp-live-stage"), setup = find(".fmp-live-setup"), summary = find(".fmp-live-summary"), press = (action) => find(`[data-action=${action}]`);
const STAY = 5000, LONGEST_PAUSE = 300_000, COUNT = 3; // milliseconds, and seconds of the countdown
const SLOW = 8; // frames a second below which advice comes late
const chosen = (name) => find(`input[name=fmp-live-${name}]:checked`)?.value;
const rest = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
let run = null; // the exercise that is going on
let film = null; // that of the last one

form.asks = () => slot.photo?.id ?? null;
slot.changed = () => { form.calm(); form.changed(); };

/* The goals of the choice: a name of the page's pictures or a file, what is shown of each, and what it is called. */
function goals() {
  const choice = find("input[name=fmp-live-goal]:checked");
  if (!choice.value) return slot.photo && [{ file: slot.photo.file, url: slot.photo.url, name: page.inEach("live.own") }];
  const { sequence } = choice.closest("label").dataset, named = (picture) => page.inEach(`${sequence ? "poses" : "captions"}.${picture}`);
  return (sequence?.split(" ") || [choice.value]).map((picture) => ({ picture, url: `live/picture?name=${picture}`, name: named(picture) }));
}

async function start(chosenFilm) {
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
  film = chosenFilm;
  const mine = run = { goals: wanted, film, seat: null, opened: false, bests: [], reached: new Set(), number: -1, paused: false, muted: false };
  keepAwake(true);
  form.hold("live.preparing");
  let facing = false;
  try {
    if (film) await openFilm(film);
    else facing = await openCamera();
  } catch (error) {
    abandon(mine);
    if (mine.left) return;
    form.alert(film ? "live.film_broken" : cameraTrouble(error));
    press("film").hidden = false;
    press("film").focus();
    return;
  }
  try {
    await takeSeat(mine, 0);
  } catch (error) {
    abandon(mine);
    if (!mine.left) refuse(mine, error);
    return;
  }
  if (run !== mine) { abandon(mine); return; }
  form.hold(null);
  open(mine, facing);
  watch(mine);
}
/* A seat with the goals from a number on; the exercise has it only once they are all in. */
async function takeSeat(mine, first) {
  const seat = { name: (await ask("begin", {})).seat, first, said: 0 };
  try {
    for (const [index, { picture, file }] of mine.goals.slice(first).entries()) {
      if (run !== mine) throw new Error("left meanwhile");
      if (!mine.opened && mine.goals.length > 1) form.status("live.preparing_goal", { number: index + 1, of: mine.goals.length });
      await ask("goal", { seat: seat.name, leave_out: page.leftOut(element), ...(picture && { picture }) }, picture ? undefined : file);
    }
  } catch (error) {
    ask("end", { seat: seat.name }).catch(() => {});
    throw error;
  }
  mine.seat = seat;
}
function refuse(mine, error) {
  const aboutGoal = error.text && mine.goals[0].file && !error.code.startsWith("live_full");
  form.alert(error.text || "faults.unreachable", {}, null, aboutGoal ? slot : null);
}
/* End an exercise that never began; nothing of it is left. Harmless twice. */
function abandon(mine) {
  if (mine.seat) ask("end", { seat: mine.seat.name }).catch(() => {});
  mine.seat = null;
  if (run && run !== mine) return; // another one has begun meanwhile
  run = null;
  keepAwake(false);
  closePicture();
  form.hold(null);
}

function open(mine, facing) {
  mine.opened = true;
  setup.hidden = summary.hidden = true;
  stage.hidden = false;
  find(".fmp-go").hidden = true;
  mirrored(facing);
  press("turn").hidden = true;
  if (!mine.film) page.cameras().then((all) => { press("turn").hidden = all.length < 2; });
  mine.muted = !find("[name=fmp-live-voice]").checked;
  press("mute").setAttribute("aria-pressed", String(mine.muted));
  page.write(press("pause").firstElementChild, "live.pause");
  showGoal(mine, 0);
  caption("live.looking");
  note(null);
  find(".fmp-live-picture").focus({ preventScroll: true });
  stage.scrollIntoView({ block: "start" });
}
function mirrored(now) {
  stage.classList.toggle("fmp-mirrored", now);
  press("mirror").setAttribute("aria-pressed", String(now));
}
/* The goal beside the picture; whether it is another one than before. */
function showGoal(mine, number) {
  if (mine.number === number) return false;
  mine.number = number;
  const { url, name } = mine.goals[number], image = find(".fmp-live-goal img"), steps = find(".fmp-live-goal progress");
  image.src = url;
  page.write(image, "live.alt_goal", { name }, "alt");
  page.write(find(".fmp-live-goal figcaption"), mine.goals.length > 1 ? "live.goal_of" : "live.alt_goal", { number: number + 1, of: mine.goals.length, name });
  steps.hidden = mine.goals.length < 2;
  steps.max = mine.goals.length;
  steps.value = number;
  return true;
}
/* Time to step back from the camera; a film needs none. */
async function countdown(mine) {
  const count = find(".fmp-live-count");
  for (let left = COUNT; left && run === mine && !mine.paused && !mine.film; left -= 1) {
    count.textContent = left;
    speak(mine, String(left));
    await rest(1000);
  }
  count.textContent = "";
}

/* Large words; what is `heard` goes to whoever reads by ear. */
function caption(words, heard = null) {
  page.write(find(".fmp-live-now"), words);
  hear(heard);
}
/* The same words once more are a change as well. */
function hear(words) {
  const region = find(".fmp-live-heard");
  if (!words) return;
  region.textContent = "";
  requestAnimationFrame(() => { region.textContent = words; });
}
function note(words) {
  const place = find(".fmp-live-note");
  if (words) page.write(place, words);
  else page.clear(place);
}
function speak(mine, words) {
  if (!mine.muted) page.speak(words, { rate: Number(find("[name=fmp-live-rate]").value) });
}

/* One frame after the other, each when the last was answered. */
async function watch(mine) {
  let pace = PERIOD, ready = false;
  while (run === mine && !mine.done) {
    if (mine.paused) { ready = false; await rest(100); continue; }
    if (!ready) {
      await countdown(mine);
      ready = !mine.paused;
      if (ready && run === mine) video.play().catch(() => {});
      continue;
    }
    if (mine.film && video.ended) { conclude(mine); return; }
    const begun = performance.now(), frameCanvas = page.frame(video, LONGEST), picture = frameCanvas && await asJpeg(frameCanvas);
    if (run !== mine) return;
    if (!picture) { await rest(50); continue; }
    try {
      const advice = await ask("frame", { seat: mine.seat.name, tolerance: chosen("tolerance") }, picture);
      if (run !== mine) return;
      if (!mine.paused) show(mine, advice, frameCanvas);
      document.dispatchEvent(new CustomEvent("fmp:frame", { detail: performance.now() - begun }));
    } catch (error) {
      if (run !== mine) return;
      await mend(mine, error);
      continue;
    }
    const took = performance.now() - begun;
    pace += 0.1 * (Math.max(took, PERIOD) - pace);
    mine.slow = pace > 1000 / SLOW;
    await rest(Math.max(0, PERIOD - took));
  }
}
/* A frame was not answered: a seat that is gone is taken anew, where the sequence stood. */
async function mend(mine, error) {
  if (error.code === "live_busy") { await rest(60); return; }
  if (error.code !== "live_gone") { halt(mine, error.text || "live.lost"); return; }
  try { await takeSeat(mine, mine.number); } catch (again) { if (run === mine) halt(mine, again.text || "live.lost"); }
}
const far = ({ distances }) => Object.values(distances).reduce((sum, value) => sum + value, 0);
function show(mine, advice, frameCanvas) {
  const { seat } = mine, number = seat.first + advice.goal, another = showGoal(mine, number);
  drawAdvice(advice);
  if (advice.best && !(far(mine.bests[number]?.advice || { distances: [Infinity] }) <= far(advice))) mine.bests[number] = { canvas: frameCanvas, advice };
  if (advice.phase === "reached" || advice.phase === "done") mine.reached.add(number);
  const fixed = { nobody: "live.say_nobody", hold: "live.say_hold", reached: "live.say_reached", done: "live.say_done" }[advice.phase];
  let spoken = advice.said > seat.said ? advice.sayings.map((words) => words[page.language]).join(" ") : null;
  if (another) spoken = `${spoken || ""} ${mine.goals[number].name[page.language]}`.trim();
  seat.said = Math.max(seat.said, advice.said);
  if (spoken) speak(mine, spoken);
  if (fixed) caption(advice.phase === "nobody" && advice.said === 0 ? "live.looking" : fixed, spoken);
  else if (advice.instruction) caption(advice.instruction, spoken);
  else hear(spoken);
  note(advice.unseen || (mine.slow ? "live.slow" : null));
  if (advice.phase === "done") { mine.done = true; setTimeout(() => run === mine && conclude(mine), 1200); }
}

function pause(mine, words = "live.paused") {
  if (!mine?.opened || mine.done || mine.paused) return;
  mine.paused = true;
  page.hush();
  video.pause();
  page.write(press("pause").firstElementChild, "live.go_on");
  caption(words, page.say(words));
  stay(mine);
}
/* A pause that nobody asked for: said aloud, since they stand far from the screen. */
function halt(mine, words) {
  pause(mine, words);
  speak(mine, page.say(words));
}
async function goOn(mine) {
  if (!mine.film && !video.srcObject) {
    try { mirrored(await openCamera()); } catch (error) { if (run === mine) caption(cameraTrouble(error), page.say(cameraTrouble(error))); return; }
  }
  if (run !== mine) return;
  mine.paused = false;
  page.write(press("pause").firstElementChild, "live.pause");
  caption("live.looking");
  if (!mine.film) video.play().catch(() => {});
}
/* A seat is kept for a while; who does not come back has ended. */
async function stay(mine) {
  const until = performance.now() + LONGEST_PAUSE;
  while (run === mine && mine.paused && performance.now() < until) {
    await ask("stay", { seat: mine.seat.name }).catch(() => {});
    await rest(STAY);
  }
  if (run === mine && mine.paused) conclude(mine);
}
/* The exercise is over: how it went. */
async function conclude(mine) {
  run = null;
  keepAwake(false);
  page.hush();
  closePicture();
  const report = await ask("end", { seat: mine.seat.name }).catch(() => null);
  if (run) return; // another one has begun meanwhile
  const courses = (report?.goals || []).map((course) => ({ ...course, goal: mine.seat.first + course.goal }));
  showSummary(courses, mine, Boolean(report));
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
async function turn(mine) {
  if (!mine) return;
  try { mirrored(await openCamera(true)); } catch {
    if (run !== mine) return;
    try { mirrored(await openCamera()); } catch (error) { if (run === mine) halt(mine, cameraTrouble(error)); }
  }
}

const actions = {
  start: () => start(summary.hidden ? null : film),
  film: () => find("[name=fmp-live-film]").click(),
  other: choose,
  pause: () => (run?.paused ? goOn(run) : pause(run)),
  mute: () => { if (!run) return; run.muted = !run.muted; if (run.muted) page.hush(); press("mute").setAttribute("aria-pressed", String(run.muted)); },
  mirror: () => mirrored(!stage.classList.contains("fmp-mirrored")),
  turn: () => turn(run),
  end: () => run && conclude(run),
  "save-best": saveBest,
};
function act(action, button) {
  actions[action]?.(button);
  unlockVoice();
}
/* Within a press, where words may follow it. */
function unlockVoice() {
  if (run?.opened ? !run.muted : find("[name=fmp-live-voice]").checked) page.unlockVoice();
}
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button) return;
  if (button.closest(".fmp-photo")) slot.act(button.dataset.action, button);
  else act(button.dataset.action, button);
});
element.addEventListener("change", ({ target }) => {
  if (target.name === "fmp-live-goal") find(".fmp-live-own").hidden = Boolean(target.value);
  if (target.name === "fmp-live-film" && target.files.length) { start(target.files[0]); target.value = ""; }
  if (target.closest(".fmp-options")) tellChosen();
  if (target.name === "fmp-live-voice") unlockVoice();
});
element.addEventListener("fmp:camera-gone", () => { if (run?.opened) halt(run, "live.camera_gone"); });
/* By the place of a key as well: other scripts have other letters there. */
const KEYS = { KeyP: "pause", KeyM: "mute", Escape: "end" }, LETTERS = { p: "pause", m: "mute" };
document.addEventListener("keydown", (event) => {
  if (!run?.opened || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key !== "Escape" && event.target !== document.body && !stage.contains(event.target)) return; // letters are the stage's alone
  const action = LETTERS[event.key.toLowerCase()] || KEYS[event.code];
  if (action) { event.preventDefault(); act(action); }
});
document.addEventListener("paste", (event) => {
  if (!form.open || run || chosen("goal") || !event.clipboardData?.files.length) return;
  slot.take(event.clipboardData.files);
});
/* No camera goes on unseen. */
document.addEventListener("visibilitychange", () => {
  if (!run) return;
  if (!document.hidden) { keepAwake(true); return; } // the browser let it go dark with the page
  if (!run.opened || run.done) return;
  pause(run);
  if (!run.film) closePicture();
});
document.addEventListener("fmp:tab", ({ detail }) => {
  if (detail === "live" || !run) return;
  run.left = true;
  (run.opened ? conclude : abandon)(run);
});
window.addEventListener("pagehide", () => { if (run?.seat) navigator.sendBeacon(new URL(`live/end?seat=${run.seat.name}`, document.baseURI)); });
document.addEventListener("fmp:language", () => { tellChosen(); if (run) unlockVoice(); });
async function tellChosen() {
  const strict = find("input[name=fmp-live-tolerance]:checked + span");
  const tolerance = `${strict.closest("fieldset").querySelector("legend").textContent}: ${strict.textContent}`;
  find(".fmp-chosen").textContent = [tolerance, ...page.leftOutWords(element)].join(" · ");
  find(".fmp-live-voiceless").hidden = Boolean(await page.voiceOf(page.speech()));
}
page.apply(element);
tellChosen();

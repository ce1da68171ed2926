/* The tab "Live": choose a pose, stand before the camera, follow the instructions, and see the summary. */
const form = page.asking("live", { element, props, trigger, upload }, { working: "live.preparing", ready: "form.ready", outdated: "answer.outdated" });
const slot = page.photoSlot(find(".fmp-photo"), form, page.shrunk);
const setup = find(".fmp-live-setup"), summary = find(".fmp-live-summary");
const STAY = 5000, MAX_PAUSE = 300_000, COUNT = 3; // milliseconds, and seconds of the countdown
const SHOWN = 960; // pixels of the longer side of a frame that is shown or stored as the best
const CUE = 2500; // milliseconds for which the breathing cue of a pose stays visible
const SLOW = 8; // frames per second below which advice comes late
const rest = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
let run = null; // the current exercise
let film = null; // the video of the last exercise

form.asks = () => slot.photo?.id ?? null;
slot.changed = () => { form.calm(); form.changed(); };

async function start(chosenFilm) {
  if (form.busy || run) return;
  if (slot.ready) await form.settled(slot.ready);
  form.calm();
  const wanted = exercise();
  if (!wanted) {
    const place = edited ? listPlace : slot;
    form.alert(edited ? "live.list_empty" : "live.missing_goal", {}, null, place);
    place.focus();
    return;
  }
  slot.stop();
  film = chosenFilm;
  const mine = run = { ...wanted, film, seat: null, opened: false, bests: [], answers: [], reached: new Set(), number: -1, seconds: 0, before: 0, wanted: null, paused: false, muted: !find("[name=fmp-live-voice]").checked };
  keepAwake(true);
  form.hold("live.preparing");
  enter(mine);
  let facing = false;
  try {
    if (film) await openFilm(film);
    else facing = await openCamera();
  } catch (error) {
    abandon(mine);
    if (mine.left) return;
    form.alert(mine.film ? "live.film_broken" : cameraTrouble(error));
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
/* Show the stage from the start, with its progress until the exercise begins. */
function enter(mine) {
  setup.hidden = summary.hidden = true;
  stage.hidden = false;
  find(".fmp-go").hidden = true;
  stage.classList.toggle("fmp-film", Boolean(mine.film));
  mirrored(!mine.film);
  press("turn").hidden = true;
  stage.classList.toggle("fmp-one-goal", mine.goals.length < 2);
  press("mute").setAttribute("aria-pressed", String(mine.muted));
  page.write(press("pause").firstElementChild, "live.pause");
  page.clear(find(".fmp-live-now"));
  meter.toggleAttribute("data-off", true);
  find(".fmp-live-ring").toggleAttribute("hidden", true);
  find(".fmp-live-slow").hidden = true;
  note(null);
  showGoal(mine, 0);
  showStep("camera", 0, mine.film ? "live.start_film" : "live.start_camera");
  hear(page.say(mine.film ? "live.start_film" : "live.start_camera"));
  find(".fmp-live-picture").focus({ preventScroll: true });
  stage.scrollIntoView({ block: "start" });
}
/* Take a seat and add the goals from a number on; the exercise uses it only once all are added. */
async function takeSeat(mine, first) {
  const seat = { ...(await begin(mine, { hold: mine.hold })), first, said: 0 };
  let index = 0;
  try {
    for (const { picture, file, again } of mine.goals.slice(first)) {
      if (run !== mine) throw new Error("left meanwhile");
      if (!mine.opened) showStep("goal", index / mine.goals.length, mine.goals.length > 1 ? "live.preparing_goal" : "live.start_goal", { number: index + 1, of: mine.goals.length });
      const known = again >= first ? { again: again - first } : picture && { picture };
      await ask("goal", { seat: seat.name, leave_out: page.leftOut(element), ...known }, known ? undefined : file);
      index += 1;
    }
  } catch (error) {
    ask("end", { seat: seat.name }).catch(() => {});
    throw Object.assign(error, { index: first + index });
  }
  mine.before = mine.seconds;
  mine.seat = seat;
}
function refuse(mine, error) {
  const goal = mine.goals[error.index], aboutGoal = error.text && goal?.file && !error.code.startsWith("live_full");
  if (!aboutGoal) form.alert(error.text || "faults.unreachable");
  else if (!edited) form.alert(error.text, {}, null, slot);
  else {
    form.alert("live.list_wrong", { number: error.index + 1, name: goal.name, trouble: error.text }, null, listPlace);
    markPicture(error.index);
  }
}
/* End an exercise that never began and discard it. May be called twice. */
function abandon(mine) {
  if (mine.seat) ask("end", { seat: mine.seat.name }).catch(() => {});
  mine.seat = null;
  if (run && run !== mine) return; // another one has started meanwhile
  run = null;
  keepAwake(false);
  closePicture();
  leaveStage();
  showSetup();
  form.hold(null);
}
function leaveStage() {
  fill(false);
  stage.hidden = true;
  find(".fmp-go").hidden = false;
}
/* Without a person found there is nothing to summarise. */
function cancel(mine) {
  mine.left = true;
  page.hush();
  abandon(mine);
  press("start").focus();
}

function open(mine, facing) {
  mine.opened = true;
  mirrored(facing);
  if (!mine.film) page.cameras().then((all) => { press("turn").hidden = all.length < 2; });
  showStep("you", 0, "live.start_you");
  hear(page.say("live.start_you"));
}
function mirrored(now) {
  stage.classList.toggle("fmp-mirrored", now);
  press("mirror").setAttribute("aria-pressed", String(now));
}
/* Show the goal beside the picture; return whether it has changed. */
function showGoal(mine, number) {
  if (mine.number === number) return false;
  mine.number = number;
  mine.nearest = undefined;
  const { url, name } = mine.goals[number], image = find(".fmp-live-goal img"), steps = find(".fmp-live-goal progress"), { each } = mine, rounds = mine.goals.length / each;
  image.src = url;
  page.write(image, "live.alt_goal", { name }, "alt");
  const title = each < 2 && rounds < 2 ? "live.alt_goal" : rounds < 2 ? "live.goal_of" : "live.goal_of_round";
  page.write(find(".fmp-live-goal figcaption"), title, { number: (number % each) + 1, of: each, round: Math.floor(number / each) + 1, rounds, name });
  press("goal-before").setAttribute("aria-disabled", String(!number));
  steps.hidden = mine.goals.length < 2;
  steps.max = mine.goals.length;
  steps.value = number;
  return true;
}
/* Time to step back from the camera; a video needs none. */
async function countdown(mine) {
  const count = find(".fmp-live-count");
  for (let left = COUNT; left && run === mine && !mine.paused && !mine.film; left -= 1) {
    count.textContent = left;
    speak(mine, String(left));
    await rest(1000);
  }
  count.textContent = "";
}

/* Send one frame at a time, each after the previous answer. */
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
    if (mine.wanted !== null) { await goTo(mine); continue; }
    const begun = performance.now(), shown = page.frame(video, SHOWN);
    let advice;
    try { advice = shown && await look(page.frame(shown, MAX_SIDE)); } catch (error) {
      if (run === mine) await mend(mine, error);
      continue;
    }
    if (run !== mine) return;
    if (!advice) { await rest(50); continue; }
    if (!mine.paused && mine.wanted === null) show(mine, advice, shown, begun, pace);
    document.dispatchEvent(new CustomEvent("fmp:frame", { detail: performance.now() - begun }));
    const took = performance.now() - begun;
    pace += 0.1 * (Math.max(took, mine.seat.period) - pace);
    if (pace > 1000 / SLOW && mine.started) tellSlow(mine);
    await rest(Math.max(0, mine.seat.period - took));
  }
}
/* A frame was not answered: if the seat is gone, take a new one at the same point of the sequence. */
async function mend(mine, error) {
  if (error.code === "live_busy") { await rest(60); return; }
  if (error.code !== "live_gone") { halt(mine, error.text || "live.lost"); return; }
  try { await takeSeat(mine, mine.number); } catch (again) { if (run === mine) halt(mine, again.text || "live.lost"); }
}
const far = ({ distances }) => Object.values(distances).reduce((sum, value) => sum + value, 0);
/* Show the answer about the frame `shown`, which was taken at `begun`; the next answer comes a `pace` later. */
function show(mine, advice, shown, begun, pace) {
  const { seat, goals } = mine, number = seat.first + advice.goal, another = showGoal(mine, number), { cue, name } = goals[number];
  draw(mine, advice, shown, begun, pace);
  if (!mine.started && !(mine.started = found(mine, advice, shown)) && advice.phase === "nobody") return;
  if (advice.best && !(far(mine.bests[number]?.advice || { distances: [Infinity] }) <= far(advice))) mine.bests[number] = { canvas: shown, advice };
  if (advice.phase === "reached" || advice.phase === "done") mine.reached.add(number);
  mine.seconds = mine.before + advice.seconds;
  const fixed = { nobody: "live.say_nobody", hold: "live.say_hold", reached: "live.say_reached", done: "live.say_done" }[advice.phase];
  let spoken = advice.said > seat.said ? advice.sayings.map((words) => words[page.language]).join(" ") : null;
  if (another || (cue && !mine.cued)) { // the breathing cue names the pose that it leads to
    spoken = cue ? cue[page.language] : `${spoken || ""} ${name[page.language]}`.trim();
    mine.cued = cue ? performance.now() : 1;
  }
  seat.said = Math.max(seat.said, advice.said);
  if (spoken) speak(mine, spoken);
  const nearer = showNearness(mine, advice), heard = spoken || (nearer && meter.getAttribute("aria-valuetext"));
  if (fixed) caption(fixed, heard);
  else if (cue && performance.now() - mine.cued < CUE) caption(cue, heard);
  else if (advice.instruction) caption(advice.instruction, heard);
  else hear(heard);
  note(mine.started ? advice.unseen : null);
  if (advice.phase === "done") { mine.done = true; setTimeout(() => run === mine && conclude(mine), 1200); }
}
/* For a video, draw the measured frame; for a camera, extrapolate the joints to the middle of their display time. */
function draw(mine, advice, shown, begun, pace) {
  if (advice.joints) mine.answers = [...mine.answers.slice(-7), { at: begun, joints: advice.joints }];
  else mine.answers = [];
  if (mine.film) drawAdvice(advice, shown);
  else drawAdvice(ahead(mine.answers, advice, performance.now() - begun + pace / 2));
  drawRing(advice, mine.hold);
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
/* A pause that the visitor did not request: read aloud, since they are far from the screen. */
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
  mine.answers = [];
  if (!mine.film) video.play().catch(() => {});
}
/* A seat is kept for a while; the exercise ends if the visitor does not come back. */
async function stay(mine) {
  const until = performance.now() + MAX_PAUSE;
  while (run === mine && mine.paused && performance.now() < until) {
    await ask("stay", { seat: mine.seat.name }).catch(() => {});
    await rest(STAY);
  }
  if (run === mine && mine.paused) conclude(mine);
}
/* The exercise is over: show the summary. */
async function conclude(mine) {
  run = null;
  keepAwake(false);
  page.hush();
  closePicture();
  const report = await ask("end", { seat: mine.seat.name }).catch(() => null);
  if (run) return; // another one has started meanwhile
  const courses = (report?.goals || []).map((course) => ({ ...course, goal: mine.seat.first + course.goal }));
  leaveStage();
  showSummary(courses, mine, Boolean(report));
  summary.hidden = false;
  [press("film").hidden, press("other").hidden] = [true, false];
  page.write(press("start").firstElementChild, "live.again");
  if (!form.open) return;
  summary.querySelector("h2").focus({ preventScroll: true });
  summary.scrollIntoView({ block: "start" });
}
function showSetup() {
  [summary.hidden, setup.hidden, press("film").hidden, press("other").hidden] = [true, false, false, true];
  page.write(press("start").firstElementChild, "live.start");
}
function choose() {
  showSetup();
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
  end: () => run && (run.opened ? conclude : cancel)(run),
  cancel: () => run && cancel(run),
  "next-goal": () => skip(run, 1),
  "goal-before": () => skip(run, -1),
  full: () => run && fill(!isFull()),
  "goals-left": () => scrollGoals(-1),
  "goals-right": () => scrollGoals(1),
  "save-best": saveBest,
  ...cardActions,
};
function act(action, button) {
  if (action in listActions) listActions[action](Number(button.dataset.at));
  else actions[action]?.(button);
  unlockVoice();
}
/* Called within a press, as speech may follow it. */
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
  if (target.name === "fmp-live-goal") showChoice();
  if (target.name === "fmp-live-film" && target.files.length) { start(target.files[0]); target.value = ""; }
  if (target.closest(".fmp-options")) tellChosen();
  if (target.name === "fmp-live-voice") unlockVoice();
});
element.addEventListener("fmp:camera-gone", () => { if (run?.opened) halt(run, "live.camera_gone"); });
/* Also by the position of a key: other scripts have other letters there. */
const KEYS = { KeyP: "pause", KeyM: "mute", KeyF: "full", KeyN: "next-goal", KeyB: "goal-before", Escape: "end" }, LETTERS = { p: "pause", m: "mute", f: "full", n: "next-goal", b: "goal-before" };
document.addEventListener("keydown", (event) => {
  if (!run || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key !== "Escape" && event.target !== document.body && !stage.contains(event.target)) return; // letters control the stage only
  const action = LETTERS[event.key.toLowerCase()] || KEYS[event.code];
  if (!action) return;
  event.preventDefault();
  if (action === "end" && isFull()) fill(false); // the exercise continues
  else act(action);
});
document.addEventListener("paste", (event) => {
  if (!form.open || run || chosen("goal") || !event.clipboardData?.files.length) return;
  slot.take(event.clipboardData.files);
});
/* No camera runs in a hidden page. */
document.addEventListener("visibilitychange", () => {
  if (!run) return;
  if (!document.hidden) { keepAwake(true); return; } // the browser released the wake lock of the hidden page
  if (!run.opened || run.done) return;
  pause(run);
  if (!run.film) closePicture();
});
document.addEventListener("fmp:tab", ({ detail }) => {
  if (detail === "live" || !run) return;
  run.left = true;
  (run.started ? conclude : abandon)(run);
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
tellWay();

/* What the stage of the live coach says: the large words, how near the pose is, what is missing, and how an exercise starts. */
const SIZES = [8, 7, 6, 5.2, 4.6, 4]; // per cent of the stage's height, see live.css: the largest in which the words have room
const NEAR = [[0.85, "live.near_nearly"], [0.5, "live.near_half"], [0, "live.near_far"]]; // shares of the way
const SLOW_SHOWN = 8000; // milliseconds
const words = find(".fmp-live-words"), now = find(".fmp-live-now"), meter = find(".fmp-live-meter");
let fitted = "", hiding = 0;

/* Large words; what is `heard` goes to whoever reads by ear. */
function caption(text, heard = null) {
  page.write(now, text);
  fit();
  hear(heard);
}
function fit(anew = false) {
  if (!anew && fitted === now.textContent) return;
  fitted = now.textContent;
  for (const size of SIZES) {
    words.style.setProperty("--fmp-size", size);
    if (now.scrollHeight <= now.clientHeight + 1 && now.scrollWidth <= now.clientWidth + 1) return;
  }
}
new ResizeObserver(() => fit(true)).observe(find(".fmp-live-picture"));
document.addEventListener("fmp:language", () => fit(true));

/* The same words once more are a change as well. */
function hear(text) {
  const region = find(".fmp-live-heard");
  if (!text) return;
  region.textContent = "";
  requestAnimationFrame(() => { region.textContent = text; });
}
function note(text) {
  const place = find(".fmp-live-note");
  if (text) page.write(place, text);
  else page.clear(place);
}
function speak(mine, text) {
  if (!mine.muted) page.speak(text, { rate: Number(find("[name=fmp-live-rate]").value) });
}
/* Once in an exercise, on a line of its own over the picture. */
function tellSlow(mine) {
  if (mine.toldSlow) return;
  mine.toldSlow = true;
  tellOnce("live.slow");
}
function tellOnce(words) {
  const place = find(".fmp-live-slow");
  page.write(place, words);
  place.hidden = false;
  hear(place.textContent);
  clearTimeout(hiding); // of the notice before
  hiding = setTimeout(() => { place.hidden = true; }, SLOW_SHOWN);
}

/* How near the pose is, before it is held; true where a word is new and nearer than any before. */
function showNearness(mine, { nearness, phase, joints }) {
  const shown = phase === "move" && Boolean(joints), at = NEAR.findIndex(([least]) => nearness >= least);
  meter.toggleAttribute("data-off", !shown);
  if (!shown) return false;
  const percent = Math.round(100 * nearness);
  meter.querySelector("i").style.width = `${percent}%`;
  meter.setAttribute("aria-valuenow", percent);
  page.write(meter, NEAR[at][1], {}, "aria-valuetext");
  page.write(meter.querySelector("span"), NEAR[at][1]);
  const isNew = at < (mine.nearest ?? NEAR.length - 1);
  if (isNew) mine.nearest = at;
  return isNew;
}

/* How an exercise starts: the camera, the goals, the person. `share` is how far the step has come. */
const STEPS = ["camera", "goal", "you"];
const DARK = 45; // mean brightness, of 255, below which a camera sees nobody well
const WAIT = 2500; // milliseconds before a person who is not found is told what is missing
const starting = find(".fmp-live-starting");
function showStep(step, share = 0, key = null, places = {}) {
  const at = STEPS.indexOf(step);
  starting.hidden = at < 0;
  starting.dataset.now = step;
  if (at < 0) return;
  STEPS.forEach((name, number) => { starting.querySelector(`[data-step=${name}]`).dataset.state = number < at ? "done" : number === at ? "now" : "later"; });
  starting.querySelector("progress").value = (at + share) / STEPS.length;
  if (key) page.write(starting.querySelector(`[data-step=${step}] span`), key, places);
  showMissing(null);
}
function showMissing(text) {
  const place = starting.querySelector(".fmp-live-missing");
  if (text) page.write(place, text);
  else page.clear(place);
}
function brightness(canvas) {
  const small = Object.assign(document.createElement("canvas"), { width: 16, height: 16 }).getContext("2d");
  small.drawImage(canvas, 0, 0, 16, 16);
  const { data } = small.getImageData(0, 0, 16, 16);
  return data.reduce((sum, value, index) => sum + (index % 4 === 3 ? 0 : value), 0) / (16 * 16 * 3);
}
/* While a person is being found: what is missing, said aloud where it is new and the coach does not. True once they are there. */
function found(mine, advice, canvas) {
  mine.began ??= performance.now();
  if (advice.phase !== "nobody") {
    mine.seen ??= performance.now();
    if (!advice.unseen || performance.now() - mine.seen > WAIT) { showStep(null); return true; }
  }
  const missing = advice.unseen || (performance.now() - mine.began < WAIT ? null : brightness(canvas) < DARK ? "live.missing_light" : "live.missing_body");
  showMissing(missing);
  const said = missing && page.say(missing);
  if (said && !advice.unseen && said !== mine.missing) { hear(said); speak(mine, said); }
  mine.missing = said;
  return false;
}

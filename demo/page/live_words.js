/* Texts on the stage of the live coach: the large words, the distance to the pose, missing body parts, and how an exercise starts. */
const SIZES = [8, 7, 6, 5.2, 4.6, 4]; // per cent of the stage's height, see live.css: the largest in which the words fit is used
const NEAR = [[0.85, "live.near_nearly"], [0.5, "live.near_half"], [0, "live.near_far"]]; // minimum nearness of each text
const SLOW_SHOWN = 8000; // milliseconds
const words = find(".fmp-live-words"), now = find(".fmp-live-now"), meter = find(".fmp-live-meter");
let fitted = "", hiding = 0;

/* Show large words; `heard` goes to screen readers. */
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

/* The same words repeated count as a change as well. */
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
/* Once per exercise, on a line of its own over the picture. */
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
  clearTimeout(hiding); // of the previous notice
  hiding = setTimeout(() => { place.hidden = true; }, SLOW_SHOWN);
}

/* Show the distance to the pose, before it is held; true if the text is new and nearer than any before. */
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

/* Show how an exercise starts: the camera, the goals, the person. `share` is the progress of the step. */
const STEPS = ["camera", "goal", "you"];
const DARK = 45; // mean brightness, of 255, below which a camera hardly shows a person
const WAIT = 2500; // milliseconds before the missing parts of a person are named
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
/* While a person is being found: name what is missing, aloud if it is new and the coach is silent. True once they are found. */
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

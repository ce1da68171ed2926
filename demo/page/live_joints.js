/* Pose estimation in the browser: frames go to a worker (landmark_worker.js), and only its landmarks to the server. A browser that cannot do this sends frames. */
const { here: HERE } = JSON.parse(find(".fmp-live").dataset.settings);
const LOADING = 20_000, LOADED = 300_000, LOOKING = 5000; // milliseconds to wait for the files, to go on loading them for the next time, and for a frame
const FIRST = 5, MEASURED = 20; // frames that are not counted, and frames that measure the speed
const HERE_PERIOD = 1000 / 10; // minimum milliseconds between two frames: advice needs no more
const FORGOTTEN = 30 * 24 * 3600e3; // milliseconds until a device that was too slow is tried again
const CANNOT = "fixmypose.live.cannot";
let worker = null, opened = null; // the promise of whether the worker is ready

function sendsFrames() {
  if (!HERE) return true;
  try {
    const noted = JSON.parse(localStorage.getItem(CANNOT));
    return noted?.address === HERE.address && Date.now() < noted.until;
  } catch { return false; }
}
function asked(message, patience, transferred = []) {
  const mine = worker;
  return new Promise((done, fail) => {
    const waiting = setTimeout(() => fail(new Error("no answer")), patience);
    const end = (act, value) => { clearTimeout(waiting); act(value); };
    mine.onmessage = ({ data }) => (data.failed ? end(fail, new Error(data.failed)) : end(done, data));
    mine.onerror = () => end(fail, new Error("not loaded"));
    mine.postMessage(message, transferred);
  });
}
function closeWorker() {
  worker?.terminate();
  worker = opened = null;
}
/* Whether the browser is ready to estimate poses itself. */
async function looksHere(mine) {
  if (mine.frames || sendsFrames()) return false;
  if (!opened) {
    try { worker = new Worker(new URL(`${HERE.address}landmark_worker.js`, document.baseURI), { type: "module" }); } catch { return false; }
    const opens = worker; // it may be closed meanwhile, and another one opened
    opened = asked({}, LOADED).then(() => true, () => { if (worker === opens) closeWorker(); return false; });
    if (!mine.opened) showStep("goal", 0, "live.loading_here", { megabytes: HERE.megabytes });
  }
  return Promise.race([opened, rest(LOADING).then(() => false)]);
}
/* Take a seat: for landmarks, or for frames. */
async function begin(mine, query = {}) {
  const here = await looksHere(mine), seat = await ask("begin", { ...query, landmarks: here });
  mine.frames = !seat.landmarks;
  page.write(find(".fmp-live-way"), mine.frames ? "live.way_frames" : "live.way_here");
  return { name: seat.seat, landmarks: seat.landmarks, period: mine.frames ? PERIOD : HERE_PERIOD, paces: [] };
}

/* The advice on a frame from the browser's landmarks, as look() has it; if that fails or is too slow, frames are sent from now on. */
async function lookHere(mine, canvas) {
  const { seat } = mine, begun = performance.now();
  let found;
  try {
    const frame = await createImageBitmap(canvas);
    found = await asked({ frame, at: begun }, LOOKING, [frame]);
  } catch {
    if (run !== mine) return null; // left meanwhile: the device is not too slow
    closeWorker();
    await goOverToFrames(mine);
    return null;
  }
  if (run !== mine) return null;
  seat.paces.push(performance.now() - begun);
  const pace = seat.paces.slice(FIRST).sort((one, other) => one - other)[MEASURED / 2];
  if (seat.paces.length === FIRST + MEASURED && pace > 1000 / SLOW) {
    try { await goOverToFrames(mine); rememberSlow(); return null; } catch { /* no seat is free, and late advice is better than none */ }
  }
  return ask("landmarks", { seat: seat.name, tolerance: chosen("tolerance") }, found.body);
}
/* From here on frames are sent, and the page says so. */
async function goOverToFrames(mine) {
  const old = mine.seat;
  mine.frames = true;
  try {
    await takeSeat(mine, Math.max(0, mine.number));
  } catch (error) {
    mine.frames = false;
    throw error;
  }
  ask("end", { seat: old.name }).catch(() => {});
  closeWorker();
  tellOnce("live.gone_over");
}
/* Remember that this device is too slow, until the files change or some time has passed. A single failed frame is not remembered: otherwise the next exercise would send pictures without need. */
function rememberSlow() {
  try { localStorage.setItem(CANNOT, JSON.stringify({ address: HERE.address, until: Date.now() + FORGOTTEN })); } catch { /* a private window may refuse */ }
  tellWay();
}
function tellWay() { page.write(find(".fmp-live-privacy"), sendsFrames() ? "live.privacy" : "live.privacy_here"); }

document.addEventListener("fmp:tab", ({ detail }) => { if (detail !== "live") closeWorker(); });

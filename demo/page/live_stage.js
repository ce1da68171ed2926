/* The stage of the live coach: the camera or a video, the wake lock, and full screen. */
const page = window.FMP;
const find = (selector) => element.querySelector(selector);
const press = (action) => find(`[data-action=${action}]`);
const { bones: BONES, longest: MAX_SIDE, hold: HOLD, pictures: MAX_PICTURES } = JSON.parse(find(".fmp-live").dataset.settings);
const PERIOD = 1000 / 15; // minimum milliseconds between two frames
const stage = find(".fmp-live-stage"), video = find(".fmp-live-mirror video"), overlay = find(".fmp-live-mirror canvas");

let opening = 0; // number of the latest opening: results of earlier ones are closed

/* Open a camera, the front one or the `next` one of the device, and close the old one. Return whether the picture is mirrored. */
async function openCamera(next = false) {
  const mine = ++opening;
  const old = video.srcObject?.getVideoTracks()[0]?.getSettings() || {};
  const size = { width: { ideal: 640 }, resizeMode: { ideal: "none" } }; // the whole picture: feet must not be cut off
  let which = { facingMode: "user" };
  if (next) {
    const all = await page.cameras();
    const after = all[(all.findIndex(({ deviceId }) => deviceId === old.deviceId) + 1) % all.length];
    which = all.length > 1 ? { deviceId: { exact: after.deviceId } } : { facingMode: old.facingMode === "user" ? "environment" : "user" };
    page.stopTracks(video.srcObject); // a phone opens one camera at a time
  }
  const stream = await navigator.mediaDevices.getUserMedia({ video: { ...which, ...size } });
  if (mine !== opening) { page.stopTracks(stream); throw new Error("closed meanwhile"); }
  page.stopTracks(video.srcObject);
  video.srcObject = stream;
  stream.getVideoTracks()[0].addEventListener("ended", () => { if (video.srcObject === stream) { video.srcObject = null; element.dispatchEvent(new Event("fmp:camera-gone")); } });
  await video.play();
  return stream.getVideoTracks()[0].getSettings().facingMode !== "environment";
}
/* Prepare a video to be played from its beginning. */
function openFilm(file) {
  opening += 1;
  video.src = URL.createObjectURL(file);
  return new Promise((done, broken) => { video.onloadeddata = done; video.onerror = broken; });
}
const TROUBLE = { insecure: "live.camera_insecure", none: "live.camera_none", busy: "live.camera_busy", refused: "live.no_camera" };
const cameraTrouble = (error) => page.cameraTrouble(error, TROUBLE);
function closePicture() {
  opening += 1;
  video.pause();
  page.stopTracks(video.srcObject);
  video.srcObject = null;
  if (video.src) { URL.revokeObjectURL(video.src); video.removeAttribute("src"); video.load(); }
  overlay.getContext("2d").clearRect(0, 0, overlay.width, overlay.height);
}

let awake = false, screenLock = null;
/* Keep the screen on during an exercise, or release it; does nothing in a browser without wake locks. */
async function keepAwake(on) {
  awake = on;
  screenLock?.release();
  screenLock = null;
  if (!on) return;
  try {
    const lock = await navigator.wakeLock.request("screen");
    if (awake && !screenLock) screenLock = lock;
    else lock.release();
  } catch { /* not supported, or refused */ }
}

/* Whether the stage fills the screen or, in a browser without full screen (an iPhone), the window. */
const isFull = () => document.fullscreenElement === stage || stage.classList.contains("fmp-fills");
async function fill(on) {
  if (on && !isFull()) {
    try { await stage.requestFullscreen({ navigationUI: "hide" }); } catch { stage.classList.add("fmp-fills"); }
  } else if (!on) {
    stage.classList.remove("fmp-fills");
    if (document.fullscreenElement === stage) await document.exitFullscreen().catch(() => {});
  }
  tellFull();
}
function tellFull() {
  press("full").setAttribute("aria-pressed", String(isFull()));
  document.documentElement.classList.toggle("fmp-live-fills", stage.classList.contains("fmp-fills")); // nothing scrolls behind it
}
document.addEventListener("fullscreenchange", tellFull);

/* The stage of the live coach: the camera or a film, its frames, and what is drawn over them. */
const page = window.FMP;
const find = (selector) => element.querySelector(selector);
const { bones: BONES, longest: LONGEST, hold: HOLD } = JSON.parse(find(".fmp-live").dataset.settings);
const NECK = 2, HEAD = 3; // joints
const PATIENCE = { frame: 5000 }; // milliseconds until a request counts as lost
const PERIOD = 1000 / 15; // milliseconds between two frames at least
const video = find(".fmp-live-mirror video"), overlay = find(".fmp-live-mirror canvas"), shade = document.createElement("canvas");

let opening = 0; // number of the latest opening: whatever comes of an earlier one is closed

/* Open a camera, the one that faces the person or the `next` one of the device; the old one is closed. Whether people see themselves in it. */
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
/* A film is ready to be played from its beginning. */
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
/* Keep the screen on during an exercise, far from the hands, or let it go dark again; a browser that cannot is left as it is. */
async function keepAwake(on) {
  awake = on;
  screenLock?.release();
  screenLock = null;
  if (!on) return;
  try {
    const lock = await navigator.wakeLock.request("screen");
    if (awake && !screenLock) screenLock = lock;
    else lock.release();
  } catch { /* there is none, or it was refused */ }
}

const asJpeg = (canvas, quality = 0.75) => new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));

/* Ask the server; a refusal is thrown with its code and its sentence in every language. */
async function ask(route, query, body) {
  const address = new URL(`live/${route}?${new URLSearchParams(query)}`, document.baseURI);
  const response = await fetch(address, { method: "POST", body, signal: AbortSignal.timeout(PATIENCE[route] || 30_000) });
  const reply = await response.json().catch(() => ({}));
  if (response.ok) return reply;
  throw Object.assign(new Error(reply.code || String(response.status)), { code: reply.code, text: reply.text });
}

/* The skeleton over the picture: what is as in the pose is drawn through, what is off is dashed, thick and marked at its joints; the goal lies below as a pale body. */
function drawOver(context, width, height, { joints, ghost, off, hidden }) {
  const at = ([x, y]) => [(x / 1000) * width, (y / 1000) * height], thick = Math.max(3, Math.min(width, height) / 90);
  const line = (on, places, [parent, child], wide, colour, dashes = []) => {
    on.beginPath();
    on.moveTo(...at(places[parent]));
    on.lineTo(...at(places[child]));
    on.lineWidth = wide;
    on.strokeStyle = colour;
    on.setLineDash(dashes);
    on.stroke();
  };
  context.clearRect(0, 0, width, height);
  context.lineCap = context.lineJoin = "round";
  const head = (places) => [at(places[HEAD]), Math.hypot(...at(places[HEAD]).map((value, axis) => value - at(places[NECK])[axis])) * 0.55];
  if (ghost) {
    const on = shade.getContext("2d");
    Object.assign(shade, { width, height }); // empty again
    on.lineCap = "round";
    const [middle, radius] = head(ghost);
    for (const [colour, more] of [["#10181a", thick], ["#fff", 0]]) { // pale, with an edge that shows before a white wall
      for (const bone of BONES) line(on, ghost, bone, thick * 4.5 + more, colour);
      on.fillStyle = colour;
      on.beginPath();
      on.arc(...middle, radius + thick + more / 2, 0, 7);
      on.fill();
    }
    context.globalAlpha = 0.45;
    context.drawImage(shade, 0, 0);
    context.globalAlpha = 1;
    for (const bone of BONES) line(context, ghost, bone, thick * 0.5, "#0b5a63", [thick * 1.2, thick * 1.6]);
  }
  if (!joints) return;
  const wrong = new Set(off), unseen = new Set(hidden);
  for (const bone of BONES) {
    if (unseen.has(bone[1])) continue;
    const bad = wrong.has(bone[1]) && wrong.has(bone[0]);
    line(context, joints, bone, thick * (bad ? 2.4 : 1.7), "rgb(16 24 26 / .7)");
    line(context, joints, bone, thick * (bad ? 1.7 : 1), bad ? "#ff8a5c" : "#7fe0dc", bad ? [thick * 2.4, thick * 2] : []);
  }
  context.setLineDash([]);
  if (!unseen.has(HEAD)) {
    const [middle, radius] = head(joints);
    for (const [wide, colour] of [[1.7, "rgb(16 24 26 / .7)"], [1, wrong.has(HEAD) ? "#ff8a5c" : "#7fe0dc"]]) {
      context.beginPath();
      context.arc(...middle, radius, 0, 7);
      context.lineWidth = thick * wide;
      context.strokeStyle = colour;
      context.stroke();
    }
  }
  joints.forEach((place, joint) => {
    if (unseen.has(joint) || !wrong.has(joint)) return;
    context.beginPath();
    context.arc(...at(place), thick * 1.6, 0, 7);
    context.fillStyle = "#ff8a5c";
    context.strokeStyle = "#10181a";
    context.lineWidth = thick * 0.7;
    context.fill();
    context.stroke();
  });
}
function drawAdvice(advice) {
  const { videoWidth, videoHeight } = video;
  if (!videoWidth) return;
  const scale = Math.min(2, (overlay.clientWidth * devicePixelRatio) / videoWidth || 1);
  const width = Math.round(videoWidth * scale), height = Math.round(videoHeight * scale);
  if (overlay.width !== width || overlay.height !== height) Object.assign(overlay, { width, height });
  drawOver(overlay.getContext("2d"), width, height, advice);
  const ring = find(".fmp-live-ring"), holds = advice.phase === "hold" || advice.phase === "reached";
  ring.toggleAttribute("hidden", !holds);
  if (!holds) return;
  ring.querySelector(".fmp-live-ring-now").setAttribute("stroke-dasharray", `${advice.held} 1`);
  ring.querySelector("text").textContent = advice.held < 1 ? Math.ceil(HOLD * (1 - advice.held)) : "✓";
}

/* Cameras: list, reasons why one is not available, the current frame of a video, whether a person stands still in it, and closing. */
Object.assign(window.FMP, {
  cameras: async () => (await navigator.mediaDevices.enumerateDevices()).filter(({ kind }) => kind === "videoinput"),
  stopTracks: (stream) => stream?.getTracks().forEach((track) => track.stop()),
  /* Why a camera is not available, as one of the `keys` insecure, none, busy and refused. */
  cameraTrouble: (error, keys) => keys[window.isSecureContext ? { NotFoundError: "none", NotReadableError: "busy", AbortError: "busy" }[error?.name] || "refused" : "insecure"],

  /* The current frame of a video or canvas, on a new canvas with a longer side of at most `longest` pixels; null without a frame. */
  frame(video, longest = Infinity) {
    const { videoWidth: width = video.width, videoHeight: height = video.height } = video;
    if (!width || !height) return null;
    const scale = Math.min(1, longest / Math.max(width, height)), canvas = document.createElement("canvas");
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
    return canvas;
  },

  /* What the app detects in a small picture of a camera: `seen`, `whole`, the `missing` part, `points`; null if it cannot check now. */
  async lookAt(canvas) {
    const picture = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.8));
    try {
      const response = await fetch(new URL("live/look", document.baseURI), { method: "POST", body: picture, signal: AbortSignal.timeout(8000) });
      return response.ok ? await response.json() : null;
    } catch { return null; }
  },

  /* Wait until a person's whole body is before the camera and holds still; `tell` receives keys of the state. True then, false after a timeout or if `ended`. */
  async holdsStill(video, { look, tell, ended }) {
    const SIDE = 320, STILL = 0.02, LOOKS = 3, PAUSE = 450, MAX_WATCH_MS = 120_000; // pixels, heights of the picture, consecutive checks, milliseconds
    const began = Date.now();
    let before = null, still = 0;
    tell("camera.watch_start");
    while (!ended()) {
      await new Promise((done) => setTimeout(done, PAUSE));
      if (ended()) break;
      if (Date.now() - began > MAX_WATCH_MS) { tell("camera.watch_over"); break; }
      const canvas = !document.hidden && this.frame(video, SIDE), body = canvas && await look(canvas);
      if (ended()) break;
      if (!body) continue; // try again with the next check
      if (!body.whole) {
        [before, still] = [null, 0];
        tell(!body.seen ? "camera.watch_nobody" : body.missing === "body" ? "camera.hint" : `live.outside_${body.missing}`);
        continue;
      }
      const moved = before && Math.max(...body.points.map(([x, y], at) => Math.hypot(x - before[at][0], y - before[at][1])));
      still = before && moved < STILL ? still + 1 : 0;
      before = body.points;
      if (still >= LOOKS) return true;
      tell("camera.watch_still");
    }
    return false;
  },
});

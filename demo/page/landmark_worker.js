/* MediaPipe's pose landmarker in a worker, so that the page stays responsive. For each frame it returns the values that demo/live/routes.py reads. */
import { PoseLandmarker } from "./vision_bundle.mjs";
import { uprightLines } from "./upright_lines.js";

const CERTAIN = 0.5; // as in fmp_models/estimators/landmarks.py
const LINES_EVERY = 3500; // milliseconds between two analyses of the room's lines, a little more often than the server estimates the tilt
const here = (name) => new URL(name, import.meta.url).href;
const square = new OffscreenCanvas(1, 1), context = square.getContext("2d");
let landmarker = null, last = 0, linesSeen = -Infinity;

async function open() {
  const files = { wasmLoaderPath: here("vision_wasm_module_internal.js"), wasmBinaryPath: here("vision_wasm_module_internal.wasm") };
  const baseOptions = { modelAssetPath: here("pose_landmarker.task"), delegate: "CPU" };
  landmarker = await PoseLandmarker.createFromOptions(files, { baseOptions, runningMode: "VIDEO", minPoseDetectionConfidence: CERTAIN, minTrackingConfidence: CERTAIN });
  landmarker.detectForVideo(square, 0); // the first call takes longest
}
/* Width and height, then landmarks and lines if a person is found. MediaPipe distorts people in frames that are not square. */
function look(frame, at) {
  const { width, height } = frame, side = Math.max(width, height);
  Object.assign(square, { width: side, height: side });
  context.fillRect(0, 0, side, side);
  context.drawImage(frame, 0, 0);
  last = Math.max(last + 1, Math.round(at));
  const { landmarks: [places], worldLandmarks: [metres] } = landmarker.detectForVideo(square, last);
  if (!places) return [width, height];
  const numbers = [width, height, ...places.flatMap(({ x, y, visibility }, n) => [x * side, y * side, metres[n].x, metres[n].y, metres[n].z, Math.min(1, Math.max(0, visibility))])];
  if (at - linesSeen < LINES_EVERY) return numbers;
  linesSeen = at;
  return [...numbers, ...uprightLines(frame, width, height, places.map(({ x, y }) => [x * side, y * side]))];
}

self.onmessage = async ({ data: { frame, at } }) => {
  try {
    if (!frame) { await open(); self.postMessage({ opened: true }); return; }
    const body = Float32Array.from(look(frame, at)).buffer;
    frame.close();
    self.postMessage({ body }, [body]);
  } catch (error) { self.postMessage({ failed: String(error) }); }
};

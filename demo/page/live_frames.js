/* Frames of the current exercise, and the server's advice on each. */
const PATIENCE = { frame: 5000 }; // milliseconds until a request counts as lost

const asJpeg = (canvas, quality = 0.75) => new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));

/* Send a request to the server; throw an error with its code and its sentence in every language. */
async function ask(route, query, body) {
  const address = new URL(`live/${route}?${new URLSearchParams(query)}`, document.baseURI);
  const response = await fetch(address, { method: "POST", body, signal: AbortSignal.timeout(PATIENCE[route] || 30_000) });
  const reply = await response.json().catch(() => ({}));
  if (response.ok) return reply;
  throw Object.assign(new Error(reply.code || String(response.status)), { code: reply.code, text: reply.text });
}

/* The advice on one frame, as in demo/live/routes.py; null if the frame could not be read. */
async function look(canvas) {
  if (run.seat.landmarks) return lookHere(run, canvas);
  const picture = await asJpeg(canvas);
  return picture && ask("frame", { seat: run.seat.name, tolerance: chosen("tolerance") }, picture);
}

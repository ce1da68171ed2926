/* Both figures enlarged in a dialog: they zoom and move together, by pinch, wheel and keys. */
const MAX_ZOOM = 6, STEP = 1.25, PAN = 8; // PAN in percent of a figure
const viewport = { zoom: 1, x: 0, y: 0 }; // the shift in percent of a figure
const pointers = new Map();

function view(zoom, x, y) {
  const dialog = element.querySelector(".fmp-large"), most = 50 * (Math.min(Math.max(zoom, 1), MAX_ZOOM) - 1);
  const within = (value) => Math.min(Math.max(value, -most), most);
  Object.assign(viewport, { zoom: Math.min(Math.max(zoom, 1), MAX_ZOOM), x: within(x), y: within(y) });
  dialog.style.setProperty("--zoom", viewport.zoom.toFixed(3));
  dialog.style.setProperty("--x", `${viewport.x.toFixed(2)}%`);
  dialog.style.setProperty("--y", `${viewport.y.toFixed(2)}%`);
}
const zoomBy = (factor) => view(viewport.zoom * factor, viewport.x * factor, viewport.y * factor);
const panBy = (x, y) => view(viewport.zoom, viewport.x + x, viewport.y + y);

function enlarge(figures = [...element.querySelectorAll(".fmp-joints .fmp-figure")]) {
  const dialog = element.querySelector(".fmp-large");
  dialog.querySelector(".fmp-views").replaceChildren(...figures.map((figure) => {
    const copy = figure.cloneNode(true);
    copy.querySelector(".fmp-stack").removeAttribute("data-action");
    copy.querySelector("canvas")?.remove();
    return copy;
  }));
  dialog.querySelector(".fmp-views").onwheel = (event) => { // only there, so that the page scrolls as usual
    event.preventDefault();
    zoomBy(event.deltaY < 0 ? STEP : 1 / STEP);
  };
  view(1, 0, 0);
  pointers.clear(); // a finger lifted elsewhere must not count for a pinch
  if (!dialog.open) dialog.showModal();
}

const acts = {
  enlarge: () => enlarge(), larger: () => zoomBy(STEP), smaller: () => zoomBy(1 / STEP), whole: () => view(1, 0, 0),
  "close-large": () => element.querySelector(".fmp-large").close(),
};
element.addEventListener("click", ({ target }) => { const button = target.closest("[data-action]"); acts[button?.dataset.action]?.(button); });
element.addEventListener("keydown", (event) => {
  if (!event.target.closest(".fmp-large") || event.ctrlKey || event.metaKey) return;
  const key = { "+": () => zoomBy(STEP), "=": () => zoomBy(STEP), "-": () => zoomBy(1 / STEP), 0: () => view(1, 0, 0),
    ArrowLeft: () => panBy(PAN, 0), ArrowRight: () => panBy(-PAN, 0), ArrowUp: () => panBy(0, PAN), ArrowDown: () => panBy(0, -PAN) }[event.key];
  if (!key) return;
  event.preventDefault();
  key();
});
element.addEventListener("pointerdown", (event) => {
  const stack = event.target.closest(".fmp-views .fmp-stack");
  if (!stack) return;
  event.preventDefault();
  stack.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, [event.clientX, event.clientY]);
});
element.addEventListener("pointermove", (event) => {
  const before = pointers.get(event.pointerId), stack = event.target.closest(".fmp-stack");
  if (!before || !stack) return;
  const here = [event.clientX, event.clientY], other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
  pointers.set(event.pointerId, here);
  const apart = (one) => Math.hypot(one[0] - other[0], one[1] - other[1]);
  if (other) zoomBy(apart(here) / Math.max(apart(before), 1));
  else panBy((here[0] - before[0]) / stack.clientWidth * 100, (here[1] - before[1]) / stack.clientHeight * 100);
});
["pointerup", "pointercancel", "lostpointercapture"].forEach((end) => element.addEventListener(end, (event) => pointers.delete(event.pointerId)));

/* The form of "Correct my pose": two photographs by file, drop, paste or camera; nothing is sent before the button is pressed. */
const page = window.FMP;
const MAX_BYTES = Number(element.querySelector(".fmp-form").dataset.maxBytes);
const find = (selector) => element.querySelector(selector);
const DELAY = Number(element.querySelector(".fmp-form").dataset.delay);
const slots = Object.fromEntries([...element.querySelectorAll(".fmp-photo")].map((node) => [node.dataset.which, node]));
const WHICH = Object.keys(slots);
const photos = { current: null, target: null };
const PATIENCE = 120_000; // milliseconds: a full queue is answered long before
const LOST = "fixmypose.lost";
const LEAVING = 500; // milliseconds: Gradio waits two seconds before it reloads
let busy = false;
let leaving = false;
let waiting = 0;
let losing = 0;
let answerLanguageChosen = false;

/* One sentence, led by the name of the photograph it is about, if it is about one. */
function alertUser(key, places, which) {
  const alert = find(".fmp-alert"), line = document.createElement("p");
  alert.replaceChildren(line);
  for (const [part, values] of [...(which ? [[`form.${which}`]] : []), [key, places]]) {
    if (line.childNodes.length) line.append(": ");
    page.write(line.appendChild(document.createElement("span")), part, values);
  }
  alert.scrollIntoView({ block: "nearest" });
}
const calm = () => find(".fmp-alert").replaceChildren();
const status = (key) => page.write(find(".fmp-status"), key);
function clearStatus() {
  const line = find(".fmp-status");
  line.textContent = "";
  line.removeAttribute("data-i18n");
}

/* Gradio reloads the page once a lost connection is back, and the photographs go with it; the new page says why. */
function remember(lost) {
  try { if (lost) sessionStorage.setItem(LOST, "yes"); else sessionStorage.removeItem(LOST); } catch { /* a private window may refuse */ }
}
function wasLost() {
  try { return Boolean(sessionStorage.getItem(LOST)); } catch { return false; }
}

/* `name` is a text, or one for each language. */
function setPhoto(which, file, name = file?.name || "") {
  stopCamera(which);
  if (photos[which]) URL.revokeObjectURL(photos[which].url);
  photos[which] = file && { file, name, url: URL.createObjectURL(file) };
  draw(which);
}

function draw(which) {
  const slot = slots[which], photo = photos[which];
  slot.querySelector(".fmp-empty").hidden = Boolean(photo);
  slot.querySelector(".fmp-filled").hidden = !photo;
  const image = slot.querySelector(".fmp-filled img"), note = slot.querySelector(".fmp-no-preview");
  if (!photo) { image.removeAttribute("src"); return; }
  image.hidden = false;
  note.hidden = true;
  image.onload = () => page.write(image, `form.alt_${which}`, { name: photo.name, width: image.naturalWidth, height: image.naturalHeight }, "alt");
  image.onerror = () => { image.hidden = true; note.hidden = false; page.write(note, "form.no_preview", { name: photo.name }); };
  image.src = photo.url;
}

function take(which, files) {
  const file = [...(files || [])].find((item) => item instanceof Blob);
  calm();
  if (!file) { alertUser("faults.not_file"); return; }
  setPhoto(which, file);
  status("form.photo_set");
  slots[which].querySelector("[data-action=change]").focus({ preventScroll: true });
}

/* Camera. The live picture is mirrored as people expect; the photograph is not, or left and right would change places. */
const cameras = {};
async function openCamera(which) {
  if (cameras[which]) return;
  calm();
  const camera = cameras[which] = {};
  try {
    camera.stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 1280 }, height: { ideal: 960 } } });
  } catch {
    delete cameras[which];
    alertUser("camera.refused");
    return;
  }
  /* While the browser asked for leave, a photograph may have come another way. */
  if (cameras[which] !== camera) { stopStream(camera); return; }
  const slot = slots[which], video = slot.querySelector("video");
  video.srcObject = camera.stream;
  await video.play();
  slot.querySelector(".fmp-empty").hidden = true;
  slot.querySelector(".fmp-camera").hidden = false;
  slot.querySelector("[data-action=take-delayed]").focus();
}
const stopStream = (camera) => camera.stream?.getTracks().forEach((track) => track.stop());
function stopCamera(which) {
  const camera = cameras[which];
  if (!camera) return;
  delete cameras[which];
  clearInterval(camera.timer);
  stopStream(camera);
  const slot = slots[which];
  slot.querySelector(".fmp-camera").hidden = true;
  slot.querySelector(".fmp-count").textContent = "";
  slot.querySelector(".fmp-empty").hidden = Boolean(photos[which]);
}
function shoot(which) {
  const video = slots[which].querySelector("video"), canvas = document.createElement("canvas");
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext("2d").drawImage(video, 0, 0);
  canvas.toBlob((blob) => {
    setPhoto(which, blob, page.inEach("camera.name"));
    status("form.photo_set");
    slots[which].querySelector("[data-action=change]").focus();
  }, "image/jpeg", 0.92);
}
function shootLater(which, seconds) {
  const camera = cameras[which], count = slots[which].querySelector(".fmp-count");
  clearInterval(camera.timer);
  count.textContent = seconds;
  camera.timer = setInterval(() => {
    seconds -= 1;
    count.textContent = seconds || "";
    if (!seconds) { clearInterval(camera.timer); shoot(which); }
  }, 1000);
}

async function paste(which) {
  try {
    for (const item of await navigator.clipboard.read()) {
      const type = item.types.find((name) => name.startsWith("image/"));
      if (type) { take(which, [await item.getType(type)]); return; }
    }
  } catch { /* said below, as for a clipboard without a picture */ }
  alertUser("faults.clipboard");
}

/* Each upload gets a name of its own, so that nobody's file is ever another's. */
function anonymous(file) {
  const name = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return new File([file], name, { type: "application/octet-stream" });
}

function setBusy(now) {
  busy = now;
  const form = find(".fmp-form"), button = find("[data-action=submit]");
  form.setAttribute("aria-busy", String(now));
  button.setAttribute("aria-disabled", String(now));
  form.classList.toggle("fmp-busy", now);
}

async function submit() {
  if (busy) return;
  calm();
  WHICH.forEach(stopCamera);
  const missing = WHICH.find((which) => !photos[which]), tooBig = WHICH.find((which) => photos[which]?.file.size > MAX_BYTES);
  if (missing) {
    alertUser("errors.photo_missing");
    slots[missing].querySelector("[data-action=choose]").focus();
    return;
  }
  if (tooBig) {
    alertUser("errors.photo_too_many_bytes", { limit_mb: MAX_BYTES / 1e6 }, tooBig);
    slots[tooBig].querySelector("[data-action=change]").focus();
    return;
  }
  setBusy(true);
  status("form.sending");
  try {
    const [current, target] = await Promise.all([photos.current, photos.target].map((photo) => upload(anonymous(photo.file))));
    const meta = { _type: "gradio.FileData" };
    props.value = {
      current: { path: current.path, meta },
      target: { path: target.path, meta },
      language: find("input[name=fmp-answer-language]:checked").value,
    };
  } catch {
    setBusy(false);
    clearStatus();
    alertUser("faults.unreachable");
    return;
  }
  status("form.working");
  waiting = setTimeout(page.failed, PATIENCE);
  trigger("submit");
}

/* Called when the answer has arrived, and when the queue or the connection failed. */
page.answered = (good) => {
  clearTimeout(waiting);
  clearTimeout(losing);
  setBusy(false);
  props.value = null;
  calm();
  remember(false);
  if (good) status("form.ready");
  else clearStatus();
};
page.failed = () => { page.answered(false); alertUser("faults.busy"); };
document.addEventListener("fmp:trouble", () => {
  if (!busy || leaving) return;
  page.failed();
  /* A page that is being left loses its connection too, now and then before it is told; such a page is gone by then. */
  losing = setTimeout(() => remember(!leaving), LEAVING);
});

const actions = {
  choose: (which) => slots[which].querySelector("input[type=file]").click(),
  change: (which) => slots[which].querySelector("input[type=file]").click(),
  remove: (which) => { setPhoto(which, null); slots[which].querySelector("[data-action=choose]").focus(); },
  camera: openCamera,
  take: shoot,
  "take-delayed": (which) => shootLater(which, DELAY),
  cancel: (which) => { stopCamera(which); slots[which].querySelector("[data-action=camera]").focus(); },
  paste,
  swap: () => {
    calm();
    WHICH.forEach(stopCamera);
    if (!photos.current && !photos.target) return;
    [photos.current, photos.target] = [photos.target, photos.current];
    WHICH.forEach(draw);
    status("form.swapped");
  },
  submit,
  clear: () => {
    calm();
    WHICH.forEach((which) => setPhoto(which, null));
    status("form.cleared");
    trigger("clear");
    slots.current.querySelector("[data-action=choose]").focus();
  },
  example: async (_, button) => {
    calm();
    const pictures = [...button.querySelectorAll("img")];
    const files = await Promise.all(pictures.map(async (picture) => (await fetch(picture.src)).blob()));
    pictures.forEach(({ dataset: { which } }, index) => setPhoto(which, files[index], page.inEach(`scenes.${button.dataset.name}_${which}`)));
    status("form.photo_set");
    const go = find("[data-action=submit]");
    go.focus({ preventScroll: true });
    go.scrollIntoView({ block: "nearest" });
  },
};

element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (!button || (busy && button.dataset.action !== "submit")) return;
  actions[button.dataset.action](button.closest(".fmp-photo")?.dataset.which, button);
});
element.addEventListener("change", (event) => {
  if (event.target.matches("input[type=file]")) {
    if (event.target.files.length) take(event.target.closest(".fmp-photo").dataset.which, event.target.files);
    event.target.value = "";
  }
  if (event.target.name === "fmp-answer-language") answerLanguageChosen = true;
});
for (const [which, slot] of Object.entries(slots)) {
  slot.addEventListener("dragover", (event) => { event.preventDefault(); slot.classList.add("fmp-over"); });
  slot.addEventListener("dragleave", () => slot.classList.remove("fmp-over"));
  slot.addEventListener("drop", (event) => {
    event.preventDefault();
    slot.classList.remove("fmp-over");
    if (!busy) take(which, event.dataTransfer.files);
  });
}
document.addEventListener("paste", (event) => {
  if (busy || event.target.matches?.("input:not([type=file],[type=radio]), textarea") || !event.clipboardData?.files.length) return;
  const focused = event.target.closest?.(".fmp-photo")?.dataset.which;
  take(focused || WHICH.find((which) => !photos[which]) || "current", event.clipboardData.files);
});

function followPage() {
  if (!answerLanguageChosen) find(`input[name=fmp-answer-language][value=${page.language}]`).checked = true;
}
document.addEventListener("fmp:language", followPage);
window.addEventListener("beforeunload", () => { leaving = true; clearTimeout(losing); });
followPage();
page.apply(element);
if (wasLost()) { remember(false); alertUser("faults.reopened"); }

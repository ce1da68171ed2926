/* The form of "Correct my pose": two photographs by file, drop, paste or camera; nothing is sent before the button is pressed. */
const page = window.FMP;
const MAX_BYTES = Number(element.querySelector(".fmp-form").dataset.maxBytes);
const find = (selector) => element.querySelector(selector);
const DELAY = Number(element.querySelector(".fmp-form").dataset.delay);
const slots = Object.fromEntries([...element.querySelectorAll(".fmp-photo")].map((node) => [node.dataset.which, node]));
const photos = { current: null, target: null };
const PATIENCE = 120_000; // milliseconds: a full queue is answered long before
let busy = false;
let waiting = 0;
let answerLanguageChosen = false;

function alertUser(key, places) {
  const alert = find(".fmp-alert");
  alert.replaceChildren(document.createElement("p"));
  page.write(alert.firstChild, key, places);
  alert.scrollIntoView({ block: "nearest" });
}
const calm = () => find(".fmp-alert").replaceChildren();
const status = (key, places) => (key ? page.write(find(".fmp-status"), key, places) : null);

function setPhoto(which, file, name = null) {
  stopCamera(which);
  if (photos[which]?.url) URL.revokeObjectURL(photos[which].url);
  photos[which] = file && { file, name: name || file.name || "", url: URL.createObjectURL(file) };
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
  calm();
  try {
    cameras[which] = { stream: await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 1280 }, height: { ideal: 960 } } }) };
  } catch { alertUser("camera.refused"); return; }
  const slot = slots[which], video = slot.querySelector("video");
  video.srcObject = cameras[which].stream;
  await video.play();
  slot.querySelector(".fmp-empty").hidden = true;
  slot.querySelector(".fmp-camera").hidden = false;
  slot.querySelector("[data-action=take-delayed]").focus();
}
function stopCamera(which) {
  const camera = cameras[which];
  if (!camera) return;
  delete cameras[which];
  clearInterval(camera.timer);
  camera.stream.getTracks().forEach((track) => track.stop());
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
    setPhoto(which, blob, page.say("camera.name"));
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

function setBusy(now, key) {
  busy = now;
  const form = find(".fmp-form"), button = find("[data-action=submit]");
  form.setAttribute("aria-busy", String(now));
  button.setAttribute("aria-disabled", String(now));
  form.classList.toggle("fmp-busy", now);
  if (key) status(key);
}

async function submit() {
  if (busy) return;
  calm();
  const missing = ["current", "target"].find((which) => !photos[which]);
  if (missing) {
    alertUser("errors.photo_missing");
    slots[missing].querySelector("[data-action=choose]").focus();
    return;
  }
  if (["current", "target"].some((which) => photos[which].file.size > MAX_BYTES)) {
    alertUser("errors.photo_too_many_bytes", { limit_mb: MAX_BYTES / 1e6 });
    return;
  }
  setBusy(true, "form.sending");
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
    find(".fmp-status").textContent = "";
    find(".fmp-status").removeAttribute("data-i18n");
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
  setBusy(false);
  props.value = null;
  const line = find(".fmp-status");
  if (good) status("form.ready");
  else { line.textContent = ""; line.removeAttribute("data-i18n"); }
};
page.failed = () => { page.answered(false); alertUser("faults.busy"); };

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
    stopCamera("current");
    stopCamera("target");
    [photos.current, photos.target] = [photos.target, photos.current];
    draw("current");
    draw("target");
    status("form.swapped");
  },
  submit,
  clear: () => {
    calm();
    setPhoto("current", null);
    setPhoto("target", null);
    status("form.cleared");
    trigger("clear");
    slots.current.querySelector("[data-action=choose]").focus();
  },
  example: async (_, button) => {
    calm();
    for (const which of ["current", "target"]) {
      const image = button.querySelector(`img[data-which=${which}]`);
      const blob = await (await fetch(image.src)).blob();
      setPhoto(which, blob, page.say(`captions.${button.dataset.name}`));
    }
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
  take(focused || ["current", "target"].find((which) => !photos[which]) || "current", event.clipboardData.files);
});

function followPage() {
  if (!answerLanguageChosen) find(`input[name=fmp-answer-language][value=${page.language}]`).checked = true;
}
document.addEventListener("fmp:language", followPage);
followPage();
page.apply(element);

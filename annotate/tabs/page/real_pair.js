/* Real pair: photographs sent and returned without faces, boxes drawn on them, and the changes of the description. */
(() => {
  const EDITING = 600; // milliseconds without a key before the server is asked for the changes
  const slots = {};
  let editing = 0;

  const real = () => find("form.fmp-task .fmp-real");
  const terms = () => find("[name=fmp-agree-photographs]"); // shown until they are agreed to
  const agreeing = () => ({ agreed: Boolean(terms()?.checked), page_language: page.language });
  const column = (which) => find(`.fmp-real-column[data-column=${which}]`);
  const columnOf = (node) => node.closest(".fmp-real-column");
  const whichOf = (node) => columnOf(node).dataset.column;

  /* Messages of a slot are shown in its own column. */
  const form = (which) => ({
    get busy() { return work.busy; },
    alert: (key, places) => complainIn(which, key, places),
    calm: () => column(which).querySelector(".fmp-photo-alert").replaceChildren(),
    status: () => {},
  });
  function complainIn(which, key, places) {
    const sentence = document.createElement("p"), place = column(which).querySelector(".fmp-photo-alert");
    page.write(sentence, key, places);
    place.replaceChildren(sentence);
    place.scrollIntoView({ block: "nearest" });
  }

  /* A photograph is sent as soon as it is added; its file name is not sent. */
  async function examine(which, file) {
    const most = Number(real().dataset.maxBytes), { token } = work.task;
    if (file.size > most) { slots[which].clear(); complainIn(which, "errors.photo_too_many_bytes", { limit_mb: most / 1e6 }); return; }
    if (terms()?.checked === false) { slots[which].clear(); complainIn(which, "real_pair.terms_missing"); needing(lack(terms(), "consent.missing")); return; }
    say("real_pair.looking");
    stage.setAttribute("aria-busy", "true");
    let stored;
    try { stored = await upload(page.anonymous(file)); } catch (error) {
      stage.setAttribute("aria-busy", String(work.busy));
      if (work.task?.token !== token) return; // the task was left meanwhile
      slots[which].clear();
      say("");
      complainIn(which, page.unsent(error));
      return;
    }
    await free();
    if (work.task?.token !== token) return;
    work.press("photograph", { ...work.about(work.task), ...agreeing(), which, upload: stored.path });
    say("real_pair.looking");
  }
  /* Two photographs may be uploading at once; requests are sent one after the other. */
  const free = async () => { while (work.busy) await new Promise((go_on) => setTimeout(go_on, 50)); };

  document.addEventListener("fmp:stage", () => {
    Object.values(slots).forEach((slot) => slot.clear());
    ["current", "target"].forEach((which) => delete slots[which]);
    if (!real()) return;
    for (const which of ["current", "target"]) {
      const slot = slots[which] = page.photoSlot(column(which).querySelector(".fmp-photo"), form(which), undefined, (canvas) => work.look(canvas));
      const set = slot.set;
      slot.clear = () => set(null);
      slot.set = (file, title) => {
        set(file, title);
        if (file) examine(which, file);
      };
    }
    askEdits();
  });

  document.addEventListener("fmp:answered", ({ detail: { answer, what } }) => {
    if (what.action === "photograph" || what.action === "paint") {
      const which = answer.part || what.which;
      if (!column(which)) return;
      if (answer.outcome === "part") {
        if (what.action === "photograph") terms()?.closest(".fmp-consent").remove();
        show(which, answer.html);
        say("real_pair.ready");
        return;
      }
      say("");
      if (answer.outcome === "refused") {
        const place = column(which).querySelector(".fmp-photo-alert");
        place.innerHTML = answer.html;
        page.apply(place);
        alert.replaceChildren();
        place.scrollIntoView({ block: "nearest" });
      }
      if (what.action === "photograph") slots[which]?.clear();
    } else if (what.action === "edits" && answer.outcome === "part" && find(".fmp-edits [aria-live]")) {
      const place = find(".fmp-edits [aria-live]");
      place.innerHTML = answer.html;
      page.apply(place);
    }
  });
  function show(which, html) {
    const place = column(which).querySelector(".fmp-review-place");
    column(which).querySelector(".fmp-photo-alert").replaceChildren();
    place.innerHTML = html;
    page.apply(place);
    column(which).classList.add("fmp-reviewed");
    slots[which].clear();
    place.querySelector("[name=approved], summary")?.focus({ preventScroll: true });
  }

  /* Request the changes when no other request is pending. */
  function askEdits() {
    clearTimeout(editing);
    editing = setTimeout(() => {
      if (!real() || !work.task) return;
      if (work.sent) { askEdits(); return; }
      work.press("edits", { ...work.about(work.task), text: work.form.elements.text.value }, true);
    }, EDITING);
  }

  /* Boxes. */
  const paint = (node, more) => {
    const which = whichOf(node);
    work.press("paint", { ...work.about(work.task), which, photo: node.closest(".fmp-review").dataset.photo, ...more });
    say("real_pair.painting");
  };
  function place(box, [x, y, width, height]) {
    box.hidden = false;
    Object.assign(box.style, { left: `${100 * x}%`, top: `${100 * y}%`, width: `${100 * width}%`, height: `${100 * height}%` });
  }
  const bySliders = (review) => ["x", "y", "width", "height"].map((side) => Number(review.querySelector(`[data-side=${side}]`).value) / 100);
  let drawing = null;
  const at = (event, veil) => {
    const { left, top, width, height } = veil.getBoundingClientRect();
    return [(event.clientX - left) / width, (event.clientY - top) / height].map((one) => Math.min(1, Math.max(0, one)));
  };
  const drawn = ([[x, y], [toX, toY]]) => [Math.min(x, toX), Math.min(y, toY), Math.abs(toX - x), Math.abs(toY - y)];
  element.addEventListener("pointerdown", (event) => {
    const veil = event.target.closest?.(".fmp-veil");
    if (!veil || event.button || work.busy) return;
    event.preventDefault();
    veil.setPointerCapture(event.pointerId);
    drawing = { veil, from: at(event, veil) };
  });
  element.addEventListener("pointermove", (event) => {
    if (drawing) place(drawing.veil.querySelector(".fmp-box"), drawn([drawing.from, at(event, drawing.veil)]));
  });
  element.addEventListener("pointercancel", () => { drawing?.veil.querySelector(".fmp-box").setAttribute("hidden", ""); drawing = null; });
  element.addEventListener("pointerup", (event) => {
    if (!drawing) return;
    const { veil, from } = drawing, box = drawn([from, at(event, veil)]);
    drawing = null;
    if (Math.min(box[2], box[3]) < 0.01) { veil.querySelector(".fmp-box").hidden = true; return; } // a click, not a box
    paint(veil, { box });
  });
  element.addEventListener("input", ({ target }) => {
    if (target.dataset?.side) { const review = target.closest(".fmp-review"); place(review.querySelector(".fmp-box"), bySliders(review)); }
    if (target.dataset?.paint) target.parentElement.querySelector("output").textContent = target.value;
    if (target.name === "text" && real()) askEdits();
  });
  element.addEventListener("change", ({ target }) => { if (target.dataset?.paint && !work.busy) paint(target, { strength: Number(target.value) }); });

  element.addEventListener("click", (event) => {
    const button = event.target.closest(".fmp-real-column .fmp-photo [data-action]");
    if (!button || work.busy) return;
    if (button.dataset.action === "watch" && terms()?.checked === false) needing(lack(terms(), "consent.missing"));
    else slots[whichOf(button)].act(button.dataset.action);
  });
  const give = actions.give;
  Object.assign(actions, {
    "real-choose": (button) => {
      if (terms()?.checked === false) { needing(lack(terms(), "consent.missing")); return; }
      work.press("choose", { kind: work.view, ...agreeing(), offer: button.dataset.offer });
    },
    "real-put-back": () => work.press("put_back", work.about(work.task)),
    "real-box": (button) => paint(button, { box: bySliders(button.closest(".fmp-review")) }),
    "real-clear": (button) => paint(button, { clear: true }),
    "real-other": (button) => {
      columnOf(button).classList.remove("fmp-reviewed");
      columnOf(button).querySelector(".fmp-review-place").replaceChildren();
      slots[whichOf(button)].focus();
    },
    give: (button) => {
      if (!real()) { give(button); return; }
      /* Each missing photograph and each unticked checkbox, in its own column. */
      const wanting = ["current", "target"].flatMap((which) => {
        const box = column(which).querySelector("[name=approved]");
        if (box) return box.checked ? [] : [lack(box, `real_pair.approve_missing_${which}`)];
        complainIn(which, column(which).matches(".fmp-reviewed") ? "refused.faces_unmarked" : `real_pair.photo_missing_${which}`);
        return [column(which).querySelector(".fmp-review summary, .fmp-photo [data-action=choose]")];
      });
      if (wanting.length) needing(wanting[0]); else give(button);
    },
  });
})();

/* The task "Repair": the words of a text and the gaps between them as buttons. The hidden field `edits` holds the edits. */
(() => {
  const SPACE = /^[\t\n \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/u; // white space as the server splits by it
  const BETWEEN = /[\s\u0085]+/u;
  let shown = null; // the edits on the page, as JSON
  let past = []; // earlier ones for undo, each with the place of the next edit
  let here = 0; // the word or gap that the Tab key reaches

  const mending = () => find(".fmp-mending");
  const field = () => work.form.elements.edits;
  const read = () => JSON.parse(field().value);
  const isEdited = () => read().some(([operation]) => operation !== "KEEP");
  const stops = () => [...mending().querySelectorAll("[data-place]")];
  const status = (key, places) => page.write(mending().querySelector("[role=status]"), key, places);

  function button(place, className) {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", className, tabIndex: -1 });
    made.dataset.place = place;
    return made;
  }
  function gap(place, next) {
    const made = button(place, "fmp-gap");
    made.textContent = "+";
    page.write(made, next ? "repair.gap" : "repair.gap_end", next ? { word: next } : {}, "aria-label");
    return made;
  }
  function token([operation, word], place) {
    const made = button(place, "fmp-token"), spoken = document.createElement("span");
    const text = document.createElement({ KEEP: "span", DELETE: "del", ADD: "ins" }[operation]);
    text.textContent = word;
    made.append(text);
    if (operation === "KEEP") return made;
    spoken.className = "fmp-sr";
    page.write(spoken, operation === "DELETE" ? "repair.is_deleted" : "repair.is_added");
    made.append(" ", spoken);
    return made;
  }
  function draw() {
    const edits = read(), line = mending().querySelector(".fmp-tokens"), kept = edits.filter(([operation]) => operation !== "DELETE");
    const hadFocus = line.contains(document.activeElement), isNew = !isEdited();
    shown = field().value;
    line.replaceChildren(...edits.flatMap((edit, place) => {
      if (!SPACE.test(edit[1])) return [gap(place, edit[1]), token(edit, place)];
      const space = document.createElement("span");
      space.className = edit[1].includes("\n") ? "fmp-line-end" : "";
      return [space];
    }), gap(edits.length));
    const text = kept.reduce((before, [, word]) => before + (before && !SPACE.test(word) && !SPACE.test(before.at(-1)) ? " " : "") + word, "");
    mending().querySelector("output").textContent = text;
    page.write(mending().querySelector(".fmp-steps-counted"), "repair.steps", { steps: edits.filter(([operation]) => operation !== "KEEP").length });
    mending().querySelector("[data-action=repair-undo]").disabled = !past.length;
    find("[data-action=right]").disabled = !isNew;
    reach(here, hadFocus);
  }
  function reach(stop, focus = true) {
    const all = stops();
    here = Math.max(0, Math.min(stop, all.length - 1));
    all.forEach((one, place) => { one.tabIndex = place === here ? 0 : -1; });
    if (focus) all[here].focus();
  }
  function change(edits, from) {
    past.push([field().value, from]);
    field().value = JSON.stringify(edits);
    field().dispatchEvent(new Event("input", { bubbles: true }));
  }

  /* The open gap: Enter or its button adds the words, Escape closes it; any other edit adds them first. */
  const adding = () => mending()?.querySelector(".fmp-adding");
  function open(place) {
    const form = document.createElement("span"), input = document.createElement("input"), add = document.createElement("button");
    form.className = "fmp-adding";
    form.dataset.at = place;
    Object.assign(input, { type: "text", autocomplete: "off", maxLength: 2000, enterKeyHint: "done" });
    page.write(input, "repair.field", {}, "aria-label");
    Object.assign(add, { type: "button", className: "fmp-button" });
    add.dataset.action = "repair-add";
    page.write(add, "repair.add");
    form.append(input, add);
    stops()[here].replaceWith(form);
    input.focus();
  }
  /* Return how many words were added, and before which edit. */
  function close(keeps = true) {
    const form = adding();
    if (!form) return { count: 0, place: 0 };
    const place = Number(form.dataset.at), words = keeps ? form.querySelector("input").value.split(BETWEEN).filter(Boolean) : [];
    if (words.length) {
      const from = here;
      here += 2 * words.length;
      change(read().toSpliced(place, 0, ...words.map((word) => ["ADD", word])), from);
      status("repair.added", { words: words.join(" ") });
    } else draw();
    return { count: words.length, place };
  }
  function toggle(place) {
    const edits = read(), [operation, word] = edits[place];
    if (operation === "ADD") edits.splice(place, 1);
    else edits[place] = [operation === "KEEP" ? "DELETE" : "KEEP", word];
    change(edits, here);
    status(operation === "DELETE" ? "repair.restored" : "repair.deleted", { word });
  }
  function undo() {
    if (adding()) { close(false); reach(here); return; }
    if (!past.length) return;
    [field().value, here] = past.pop();
    field().dispatchEvent(new Event("input", { bubbles: true }));
    status("repair.undone");
  }

  element.addEventListener("click", ({ target }) => {
    const pressed = target.closest?.(".fmp-mending [data-place]");
    if (!pressed || work.busy) return;
    let place = Number(pressed.dataset.place), stop = stops().indexOf(pressed);
    if (adding()) {
      if (Number(adding().dataset.at) <= place) stop += 1; // the open gap is no stop
      const added = close();
      if (added.count && added.place <= place) { place += added.count; stop += 2 * added.count; }
    }
    here = stop;
    if (pressed.matches(".fmp-gap")) open(place);
    else { toggle(place); reach(here); }
  });
  element.addEventListener("keydown", (event) => {
    if (!mending() || work.busy || event.altKey) return;
    const { key, target } = event, control = event.ctrlKey || event.metaKey, all = stops();
    const steps = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: all.length - 1 };
    if (target.closest(".fmp-adding")) {
      if (key === "Escape" || (key === "Enter" && !control && !event.isComposing && target.matches("input"))) {
        event.preventDefault();
        close(key === "Enter");
        reach(here);
      }
    } else if (control && key.toLowerCase() === "z" && !typing(target)) {
      event.preventDefault();
      undo();
    } else if (target.matches("[data-place]") && !control) {
      if (key in steps) { event.preventDefault(); reach(steps[key]); }
      if (key === "Delete" || key === "Backspace") {
        event.preventDefault();
        if (target.matches(".fmp-token")) { toggle(Number(target.dataset.place)); reach(here); }
      }
    }
  });
  element.addEventListener("focusin", ({ target }) => {
    if (target.matches?.(".fmp-mending [data-place]")) reach(stops().indexOf(target), false);
  });
  element.addEventListener("input", () => { if (mending() && field().value !== shown) draw(); });
  document.addEventListener("fmp:stage", () => {
    past = [];
    here = 0;
    if (mending()) draw();
  });

  const { give } = actions;
  Object.assign(actions, {
    "repair-add": () => { close(); reach(here); },
    "repair-undo": undo,
    right: () => send("give"),
    give: (pressed) => {
      if (adding()) close();
      if (!mending() || isEdited()) { give(pressed); return; }
      lack(mending(), "repair.missing");
      stops()[here].focus({ preventScroll: true });
      mending().fmpLack.scrollIntoView({ block: "center" });
    },
  });
})();

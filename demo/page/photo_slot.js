/* A slot for one photograph, by file, drop, paste or camera; the forms consist of slots. */
(() => {
  const page = window.FMP;

  /* Each photograph has a number of its own, by which an answer is matched to it. */
  page.number = () => crypto.getRandomValues(new Uint32Array(2)).join("");

  /* `node` is a .fmp-photo whose data-name is the end of its keys; `form` shows messages; `shrunk` scales a photograph down before it is shown and sent; `look` checks for the camera who is before it. */
  page.photoSlot = (node, form, shrunk = async (file) => ({ file }), look = page.lookAt) => {
    const find = (selector) => node.querySelector(selector);
    const which = node.dataset.name;
    const press = (action) => find(`[data-action=${action}]`);

    const slot = {
      photo: null,
      other: null, // the slot whose pose is the ghost of this one's camera
      ready: null, // a promise while a photograph is being scaled down
      node,
      changed: () => {}, // called after each change
      chosen: () => {},

      /* `title` is a text, or one for each language; `more` has its original size, and other properties to store. */
      set(file, title = file?.name || "", more = {}) {
        slot.stop();
        slot.ready = null; // an earlier file that is still being read is ignored
        if (slot.photo) URL.revokeObjectURL(slot.photo.url);
        slot.photo = file && { id: page.number(), ...more, file, title, url: URL.createObjectURL(file) };
        slot.draw();
        slot.changed();
      },
      /* The same for an original file; false if the slot was changed meanwhile. */
      give(original, title = original.name || "") {
        const mine = slot.ready = shrunk(original).then(({ file, ...size }) => {
          if (slot.ready !== mine) return false;
          slot.ready = null;
          slot.set(file, title, size);
          return true;
        });
        return mine;
      },
      draw() {
        const { photo } = slot, image = find(".fmp-filled img"), note = find(".fmp-no-preview");
        find(".fmp-empty").hidden = Boolean(photo);
        find(".fmp-filled").hidden = !photo;
        image.hidden = false;
        slot.drawPeople();
        press("mirror")?.setAttribute("aria-pressed", String(Boolean(photo?.orientation?.mirrored)));
        if (!photo) { image.removeAttribute("src"); return; }
        note.hidden = true;
        const { orientation } = photo, given = [photo.width, photo.height];
        if (orientation?.turned_by % 180) given.reverse();
        image.onload = () => page.write(image, `form.alt_${which}`, { name: photo.title, width: given[0] || image.naturalWidth, height: given[1] || image.naturalHeight }, "alt");
        image.onerror = () => { image.hidden = true; slot.drawPeople(); note.hidden = false; page.write(note, "form.no_preview", { name: photo.title }); };
        if (!orientation) { image.src = photo.url; return; }
        page.turnedBack(photo.file, orientation).catch(() => photo.url).then((address) => { if (slot.photo === photo && photo.orientation === orientation) image.src = address; });
      },
      /* Set the orientation of the photograph. People found or selected in it have other positions once it is turned, so they are dropped. */
      orient(turned_by, mirrored) {
        const { people, whom, ...rest } = slot.photo;
        slot.photo = { ...rest, orientation: turned_by || mirrored ? { turned_by, mirrored } : undefined };
        form.calm();
        slot.draw();
        slot.changed();
      },
      async take(files) {
        const file = [...(files || [])].find((item) => item instanceof Blob);
        form.calm();
        if (!file) { form.alert("faults.not_file", {}, null, slot); return; }
        if (!await slot.give(file)) return;
        form.status("form.photo_set");
        // If the focus has moved on meanwhile, leave it: the next key is meant for the new element.
        if (document.activeElement === document.body || node.contains(document.activeElement)) press("change").focus({ preventScroll: true });
      },
      /* Select one of several people found in the photograph, whose boxes are fractions of it, by a tap. */
      drawPeople() {
        const place = find(".fmp-people"), { people = [] } = slot.photo || {};
        place.replaceChildren(...people.map(([left, top, right, bottom, used], index) => {
          const box = document.createElement("button");
          box.type = "button";
          box.className = "fmp-whom";
          box.dataset.action = "whom";
          box.dataset.middle = JSON.stringify([(left + right) / 2, (top + bottom) / 2]);
          Object.assign(box.style, { left: `${left * 100}%`, top: `${top * 100}%`, width: `${(right - left) * 100}%`, height: `${(bottom - top) * 100}%` });
          box.setAttribute("aria-pressed", String(Boolean(used)));
          page.write(box, "people.choose", { number: index + 1, of: people.length }, "aria-label");
          box.append(String(index + 1));
          return box;
        }));
        if (!people.length) find(".fmp-several")?.replaceChildren();
        place.hidden = !people.length || find(".fmp-filled img").hidden;
      },
      /* Close the camera, if it is open. */
      stop: () => camera.stop(),
      /* The URL of the displayed photograph, if any. */
      get shown() {
        const image = find(".fmp-filled img");
        return slot.photo && !image.hidden ? image.getAttribute("src") : null;
      },
      /* Show the people found in the photograph; true if one still has to be selected, which is said here. */
      seen(people) {
        if (!slot.photo) return false;
        slot.photo.people = people;
        slot.drawPeople();
        if (people.length < 2 || slot.photo.whom || find(".fmp-filled img").hidden) return false; // a hidden picture cannot be tapped
        page.tell(find(".fmp-several"), "people.several", { count: people.length });
        node.scrollIntoView({ block: "nearest" });
        find(".fmp-whom[aria-pressed=true]")?.focus({ preventScroll: true });
        return true;
      },
      focus: () => press(slot.photo ? "change" : "choose").focus(),
      act: (action, button) => actions[action]?.(button),
    };

    const trouble = (key) => form.alert(key, {}, null, slot);
    const camera = page.slotCamera(node, { taken: shoot, trouble, look, ghost: () => slot.other?.shown });
    function shoot() {
      const opened = find("video").srcObject;
      page.frame(find("video"))?.toBlob(async (blob) => {
        if (!opened || find("video").srcObject !== opened || !blob || !await slot.give(blob, page.inEach("camera.name"))) return;
        form.status("form.photo_set");
        press("change").focus();
      }, "image/jpeg", 0.92);
    }

    const actions = {
      choose: () => find("input[type=file]").click(),
      change: () => find("input[type=file]").click(),
      whom: ({ dataset: { middle } }) => { slot.photo.whom = JSON.parse(middle); slot.changed(); slot.chosen(); },
      /* A mirrored view reverses direction: the rotation below it has to be reversed. */
      turn: () => {
        const { turned_by = 0, mirrored = false } = slot.photo.orientation || {}, now = (turned_by + (mirrored ? 90 : 270)) % 360;
        slot.orient(now, mirrored);
        form.status("form.turned", { degrees: mirrored ? now : (360 - now) % 360 });
      },
      mirror: () => {
        const { turned_by = 0, mirrored = false } = slot.photo.orientation || {};
        slot.orient(turned_by, !mirrored);
      },
      remove: () => { slot.ready = null; slot.set(null); press("choose").focus(); },
      camera: () => { form.calm(); camera.open(); },
      take: shoot,
      "take-delayed": camera.later,
      watch: camera.watch,
      "turn-camera": camera.turn,
      cancel: camera.cancel,
      paste: () => page.pasted(form, slot.take, slot),
    };

    page.takesFiles(node, form, slot.take);
    return slot;
  };

  /* Pass the pictures in the clipboard to `take`. */
  page.pasted = async (form, take, place) => {
    try {
      const pictures = await Promise.all((await navigator.clipboard.read()).flatMap((item) => {
        const type = item.types.find((one) => one.startsWith("image/"));
        return type ? [item.getType(type)] : [];
      }));
      if (pictures.length) { take(pictures); return; }
    } catch { /* reported below, as for a clipboard without a picture */ }
    form.alert("faults.clipboard", {}, null, place);
  };

  /* Pass files that are chosen in the input of `node`, or dropped on it, to `take`. */
  page.takesFiles = (node, form, take) => {
    node.addEventListener("change", (event) => {
      if (!event.target.matches("input[type=file]")) return;
      if (event.target.files.length) take(event.target.files);
      event.target.value = "";
    });
    node.addEventListener("dragover", (event) => { event.preventDefault(); node.classList.add("fmp-over"); });
    node.addEventListener("dragleave", () => node.classList.remove("fmp-over"));
    node.addEventListener("drop", (event) => {
      event.preventDefault();
      node.classList.remove("fmp-over");
      if (!form.busy) take(event.dataTransfer.files);
    });
  };
})();

/* A place for one photograph, by file, drop, paste or camera; the forms are made of them. */
(() => {
  const page = window.FMP;

  /* Each photograph has a number of its own, by which an answer knows whether it is about it. */
  page.number = () => crypto.getRandomValues(new Uint32Array(2)).join("");

  /* `node` is a .fmp-photo whose data-name is the end of its keys; `form` says what has to be said; `shrunk` makes a photograph smaller before it is shown and sent; `look` sees for the camera who stands before it. */
  page.photoSlot = (node, form, shrunk = async (file) => ({ file }), look = page.lookAt) => {
    const find = (selector) => node.querySelector(selector);
    const which = node.dataset.name;
    const press = (action) => find(`[data-action=${action}]`);

    const slot = {
      photo: null,
      other: null, // the slot whose pose is a ghost before this one's camera
      ready: null, // a promise while a photograph is being made smaller: it is in its place
      node,
      changed: () => {}, // for who has to know
      chosen: () => {},

      /* `title` is a text, or one for each language; `more` the size it was given in, and what else is kept with it. */
      set(file, title = file?.name || "", more = {}) {
        slot.stop();
        slot.ready = null; // what was given before does not come in afterwards
        if (slot.photo) URL.revokeObjectURL(slot.photo.url);
        slot.photo = file && { id: page.number(), ...more, file, title, url: URL.createObjectURL(file) };
        slot.draw();
        slot.changed();
      },
      /* The same of a file as it was given; false where something else was done with the place meanwhile. */
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
      /* Say how the photograph was taken. Who was seen in it, or chosen, stands elsewhere in the turned one. */
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
        // Somebody who went on meanwhile keeps the focus: their next key is meant for what they went to.
        if (document.activeElement === document.body || node.contains(document.activeElement)) press("change").focus({ preventScroll: true });
      },
      /* Of several people seen in the photograph, boxes in shares of it, one is meant: a tap says which. */
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
      /* End the camera, if it is open. */
      stop: () => camera.stop(),
      /* The address of what is shown of the photograph, if anything is. */
      get shown() {
        const image = find(".fmp-filled img");
        return slot.photo && !image.hidden ? image.getAttribute("src") : null;
      },
      /* Who was seen in the photograph; true where somebody has still to be chosen, which is said here. */
      seen(people) {
        if (!slot.photo) return false;
        slot.photo.people = people;
        slot.drawPeople();
        if (people.length < 2 || slot.photo.whom || find(".fmp-filled img").hidden) return false; // nobody can be tapped in what is not shown
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
      /* A mirror shows the other direction: what lies below it has to turn the other way. */
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

  /* Give the pictures of the clipboard to `take`. */
  page.pasted = async (form, take, place) => {
    try {
      const pictures = await Promise.all((await navigator.clipboard.read()).flatMap((item) => {
        const type = item.types.find((one) => one.startsWith("image/"));
        return type ? [item.getType(type)] : [];
      }));
      if (pictures.length) { take(pictures); return; }
    } catch { /* said below, as for a clipboard without a picture */ }
    form.alert("faults.clipboard", {}, null, place);
  };

  /* Files that are chosen in the input of `node`, or dropped on it, go to `take`. */
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

/* A place for one photograph, by file, drop, paste or camera; the forms are made of them. */
(() => {
  const page = window.FMP;

  /* `node` is a .fmp-photo whose data-name is the end of its keys; `form` says what has to be said. */
  page.photoSlot = (node, form, delay) => {
    const find = (selector) => node.querySelector(selector);
    const which = node.dataset.name;
    const press = (action) => find(`[data-action=${action}]`);
    let camera = null;

    const slot = {
      photo: null,

      /* `title` is a text, or one for each language. */
      set(file, title = file?.name || "") {
        slot.stop();
        if (slot.photo) URL.revokeObjectURL(slot.photo.url);
        slot.photo = file && { file, title, url: URL.createObjectURL(file) };
        slot.draw();
      },
      draw() {
        const { photo } = slot, image = find(".fmp-filled img"), note = find(".fmp-no-preview");
        find(".fmp-empty").hidden = Boolean(photo);
        find(".fmp-filled").hidden = !photo;
        if (!photo) { image.removeAttribute("src"); return; }
        image.hidden = false;
        note.hidden = true;
        image.onload = () => page.write(image, `form.alt_${which}`, { name: photo.title, width: image.naturalWidth, height: image.naturalHeight }, "alt");
        image.onerror = () => { image.hidden = true; note.hidden = false; page.write(note, "form.no_preview", { name: photo.title }); };
        image.src = photo.url;
      },
      take(files) {
        const file = [...(files || [])].find((item) => item instanceof Blob);
        form.calm();
        if (!file) { form.alert("faults.not_file"); return; }
        slot.set(file);
        form.status("form.photo_set");
        press("change").focus({ preventScroll: true });
      },
      /* End the camera, if it is open. */
      stop() {
        if (!camera) return;
        clearInterval(camera.timer);
        stopStream(camera);
        camera = null;
        find(".fmp-camera").hidden = true;
        find(".fmp-count").textContent = "";
        find(".fmp-empty").hidden = Boolean(slot.photo);
      },
      focus: () => press(slot.photo ? "change" : "choose").focus(),
      act: (action) => actions[action]?.(),
    };

    /* The live picture is mirrored as people expect; the photograph is not, or left and right would change places. */
    async function openCamera() {
      if (camera) return;
      form.calm();
      const opened = camera = {};
      try {
        opened.stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 1280 }, height: { ideal: 960 } } });
      } catch {
        camera = null;
        form.alert("camera.refused");
        return;
      }
      /* While the browser asked for leave, a photograph may have come another way. */
      if (camera !== opened) { stopStream(opened); return; }
      const video = find("video");
      video.srcObject = camera.stream;
      await video.play();
      find(".fmp-empty").hidden = true;
      find(".fmp-camera").hidden = false;
      press("take-delayed").focus();
    }
    const stopStream = ({ stream }) => stream?.getTracks().forEach((track) => track.stop());
    function shoot() {
      const video = find("video"), canvas = document.createElement("canvas");
      canvas.width = video.videoWidth;
      canvas.height = video.videoHeight;
      canvas.getContext("2d").drawImage(video, 0, 0);
      canvas.toBlob((blob) => {
        slot.set(blob, page.inEach("camera.name"));
        form.status("form.photo_set");
        press("change").focus();
      }, "image/jpeg", 0.92);
    }
    function shootLater() {
      const count = find(".fmp-count");
      let seconds = delay;
      clearInterval(camera.timer);
      count.textContent = seconds;
      camera.timer = setInterval(() => {
        seconds -= 1;
        count.textContent = seconds || "";
        if (!seconds) { clearInterval(camera.timer); shoot(); }
      }, 1000);
    }

    const actions = {
      choose: () => find("input[type=file]").click(),
      change: () => find("input[type=file]").click(),
      remove: () => { slot.set(null); press("choose").focus(); },
      camera: openCamera,
      take: shoot,
      "take-delayed": shootLater,
      cancel: () => { slot.stop(); press("camera").focus(); },
      paste: () => page.pasted(form, slot.take),
    };

    page.takesFiles(node, form, slot.take);
    return slot;
  };

  /* Give the pictures of the clipboard to `take`. */
  page.pasted = async (form, take) => {
    try {
      const pictures = await Promise.all((await navigator.clipboard.read()).flatMap((item) => {
        const type = item.types.find((one) => one.startsWith("image/"));
        return type ? [item.getType(type)] : [];
      }));
      if (pictures.length) { take(pictures); return; }
    } catch { /* said below, as for a clipboard without a picture */ }
    form.alert("faults.clipboard");
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

/* The camera of a photo slot: front or back, a self-timer, automatic capture once the whole body is visible and still, and the other pose as a ghost over the live picture. */
(() => {
  const page = window.FMP, { stored, store } = page;
  const DELAY = "fixmypose.delay", VOICE = "fixmypose.voice", GHOST = "fixmypose.ghost", FACING = "fixmypose.facing";
  const TROUBLE = { insecure: "camera.insecure", none: "camera.none", busy: "camera.busy", refused: "camera.refused" };
  const SIZE = { width: { ideal: 1280 }, height: { ideal: 960 } };
  let opened = null; // the open camera: only one at a time, as on phones

  /* `node` is the .fmp-photo. `taken` is called to take the picture, `trouble` with the key of a problem; `look` detects the body before the camera, `ghost` returns the URL of the overlay. */
  page.slotCamera = (node, { taken, trouble, look = page.lookAt, ghost = () => null }) => {
    const find = (selector) => node.querySelector(selector), press = (action) => find(`[data-action=${action}]`);
    const video = find("video"), count = find(".fmp-count"), status = find(".fmp-watching");
    const delay = () => Number(find(".fmp-delay").value);
    const speak = (words) => { if (find("[data-camera=voice]").checked) page.speak(words); };
    const unlockVoice = () => { if (find("[data-camera=voice]").checked) page.unlockVoice(); };
    let open = null; // { stream, timer, watching }

    const camera = {
      get isOpen() { return Boolean(open); },

      async open() {
        if (open) return;
        opened?.stop();
        const mine = open = {};
        opened = camera;
        recall();
        try {
          mine.stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: { ideal: stored(FACING) || "user" }, ...SIZE } });
        } catch (error) {
          if (open !== mine) return;
          camera.stop();
          trouble(page.cameraTrouble(error, TROUBLE));
          return;
        }
        /* While the browser asked for permission, a photograph may have been added another way. */
        if (open !== mine) { page.stopTracks(mine.stream); return; }
        await show(mine);
        if (open !== mine) return;
        find(".fmp-empty").hidden = true;
        find(".fmp-camera").hidden = false;
        press("watch").focus({ preventScroll: true });
        find(".fmp-camera").scrollIntoView({ block: "nearest" });
        page.cameras().then((all) => { press("turn-camera").hidden = all.length < 2; });
      },
      stop() {
        if (!open) return;
        const { stream } = open;
        rest();
        open = null;
        if (opened === camera) opened = null;
        page.stopTracks(stream);
        video.srcObject = null;
        find(".fmp-camera").hidden = true;
        find(".fmp-empty").hidden = !find(".fmp-filled").hidden;
      },
      isHere: () => !node.closest(".fmp-panel")?.hidden && node.isConnected,
      /* For the key that closes it. */
      cancel() {
        camera.stop();
        press("camera").focus();
      },
      later() {
        rest();
        let seconds = delay();
        const tick = () => {
          count.textContent = seconds || "";
          if (seconds) speak(String(seconds));
          else { clearInterval(open.timer); taken(); }
          seconds -= 1;
        };
        open.timer = setInterval(tick, 1000);
        tick();
      },
      async watch() {
        if (open.watching) { rest(); return; }
        rest();
        const mine = open, watching = open.watching = {}, ended = () => open !== mine || mine.watching !== watching;
        press("watch").setAttribute("aria-pressed", "true");
        const isStill = await page.holdsStill(video, { look, tell, ended });
        if (ended()) return;
        mine.watching = null;
        press("watch").setAttribute("aria-pressed", "false");
        if (!isStill) return;
        tell("");
        speak(page.say("camera.watch_taken"));
        taken();
      },
      async turn() {
        const mine = open, { facingMode, deviceId } = mine.stream.getVideoTracks()[0].getSettings(), all = await page.cameras();
        if (open !== mine) return;
        const next = all[(all.findIndex((one) => one.deviceId === deviceId) + 1) % all.length];
        const other = facingMode && { facingMode: { exact: facingMode === "environment" ? "user" : "environment" } };
        rest();
        page.stopTracks(mine.stream); // a phone opens one camera at a time
        for (const which of [other, next && { deviceId: { exact: next.deviceId } }, { deviceId: { exact: deviceId } }].filter(Boolean)) {
          try {
            const stream = await navigator.mediaDevices.getUserMedia({ video: { ...which, ...SIZE } });
            if (open !== mine) { page.stopTracks(stream); return; }
            mine.stream = stream;
            await show(mine);
            store(FACING, stream.getVideoTracks()[0].getSettings().facingMode || "user");
            return;
          } catch { /* try the next one */ }
        }
        if (open !== mine) return;
        camera.cancel();
        trouble(TROUBLE.busy);
      },
    };

    /* The live picture of a front camera is mirrored, as people expect; the photograph is not, since left and right would be swapped. */
    async function show(mine) {
      const [track] = mine.stream.getVideoTracks(), { facingMode } = track.getSettings(), isBack = facingMode === "environment";
      track.addEventListener("ended", () => { if (open?.stream !== mine.stream) return; camera.cancel(); trouble(TROUBLE.none); });
      find(".fmp-camera").classList.toggle("fmp-back", isBack);
      page.write(video, isBack ? "camera.live_back" : "camera.live", {}, "aria-label");
      page.write(press("turn-camera"), isBack ? "camera.to_front" : facingMode === "user" ? "camera.to_back" : "camera.to_other");
      video.srcObject = mine.stream;
      await video.play().catch(() => {}); // closed meanwhile
    }
    /* The choice stored on this device, shared by both slots of a form. */
    function recall() {
      const chosen = find(`.fmp-delay option[value="${Number(stored(DELAY))}"]`);
      if (chosen) chosen.selected = true;
      page.write(press("take-delayed"), "camera.take_delayed", { seconds: delay() });
      find("[data-camera=voice]").checked = stored(VOICE) !== "off";
      find("[data-camera=ghost]").checked = stored(GHOST) !== "off";
      drawGhost();
    }
    function drawGhost() {
      const address = ghost(), image = find(".fmp-ghost"), box = find("[data-camera=ghost]");
      box.closest("label").hidden = !address;
      image.hidden = !address || !box.checked;
      if (address) image.src = address;
      else image.removeAttribute("src");
    }
    /* Stop the countdown and the checks. */
    function rest() {
      clearInterval(open.timer);
      open.watching = null;
      count.textContent = "";
      press("watch").setAttribute("aria-pressed", "false");
      tell("");
    }
    /* Report a changed state of the body on the page and aloud. */
    function tell(key) {
      if ((status.dataset.key || "") === key) return;
      status.dataset.key = key;
      if (!key) { page.clear(status); return; }
      page.write(status, key);
      speak(status.textContent);
    }

    node.addEventListener("change", ({ target }) => {
      if (target.matches(".fmp-delay")) { store(DELAY, target.value); recall(); }
      if (target.dataset.camera === "voice") { store(VOICE, target.checked ? "on" : "off"); unlockVoice(); }
      if (target.dataset.camera === "ghost") { store(GHOST, target.checked ? "on" : "off"); drawGhost(); }
    });
    find(".fmp-camera").addEventListener("click", unlockVoice); // within a press, as speech may follow it
    return camera;
  };

  /* No camera runs in a hidden page. */
  const unseen = () => { if (opened && (document.hidden || !opened.isHere())) opened.stop(); };
  document.addEventListener("visibilitychange", unseen);
  document.addEventListener("fmp:tab", unseen);
  document.addEventListener("fmp:stage", unseen);
  window.addEventListener("pagehide", () => opened?.stop());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !opened || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    opened.cancel();
  });
})();

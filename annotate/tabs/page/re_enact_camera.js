/* Re-enact's camera: the pose beside the live picture, a voice that counts, the other camera, and a picture that takes
   itself once the whole body is in it and holds still. */
(() => {
  const VOICE = "fixmypose.voice";
  const SIDE = 320; // pixels of what is sent to be looked at
  const STILL = 0.02; // heights of the picture that no joint may move between two looks
  const LOOKS = 3; // one after the other at which somebody holds still
  const PAUSE = 450, LONGEST = 120_000; // milliseconds
  let open = null; // { column, camera, video, stream, watching }

  const speak = (words) => { if (stored(VOICE) !== "off") page.speak(words); };
  const unlockVoice = () => { if (stored(VOICE) !== "off") page.unlockVoice(); };
  /* What is said of the watching, on the page and aloud, when it changes. */
  function tell(key) {
    const place = open?.camera.querySelector(".fmp-watching");
    if (!place || place.dataset.key === key) return;
    place.dataset.key = key;
    if (!key) { page.clear(place); return; }
    page.write(place, key);
    speak(place.textContent);
  }

  document.addEventListener("fmp:stage", () => {
    shut();
    const more = find(".fmp-camera-more");
    if (!more) return;
    stage.querySelectorAll(".fmp-real-column").forEach((column) => {
      const camera = column.querySelector(".fmp-camera"), count = camera.querySelector(".fmp-count");
      const shot = column.querySelector(".fmp-enlarge"), like = document.createElement("div");
      like.className = `fmp-like ${shot.className.replace("fmp-enlarge", "")}`;
      like.style.cssText = shot.style.cssText;
      like.append(shot.querySelector("img").cloneNode());
      page.write(like.firstChild, `shots.${column.dataset.column}`, {}, "alt");
      camera.prepend(like);
      camera.append(more.content.cloneNode(true));
      camera.querySelector("[data-voice]").checked = stored(VOICE) !== "off";
      camera.addEventListener("click", unlockVoice);
      new MutationObserver(() => (camera.hidden ? shut(camera) : begin(column, camera))).observe(camera, { attributeFilter: ["hidden"] });
      new MutationObserver(() => speak(count.textContent)).observe(count, { childList: true, characterData: true, subtree: true });
    });
  });
  async function begin(column, camera) {
    shut();
    const mine = open = { column, camera, video: camera.querySelector("video"), stream: null, watching: 0, still: 0, before: null };
    mine.camera.querySelector(".fmp-video").classList.remove("fmp-back");
    const cameras = await page.cameras();
    if (open === mine) camera.querySelector("[data-action=real-turn]").hidden = cameras.length < 2;
  }
  /* The camera is shut; what was opened here beside it ends as well. */
  function shut(camera = open?.camera) {
    if (!open || open.camera !== camera) return;
    stopWatching();
    page.stopTracks(open.stream);
    open = null;
  }

  async function turn() {
    const mine = open, now = mine.video.srcObject.getVideoTracks()[0], { facingMode, deviceId } = now.getSettings();
    const cameras = await page.cameras();
    const next = cameras[(cameras.findIndex((one) => one.deviceId === deviceId) + 1) % cameras.length];
    const wanted = [facingMode && { facingMode: { exact: facingMode === "environment" ? "user" : "environment" } }, { deviceId: { exact: next.deviceId } }];
    now.stop(); // a telephone opens one camera at a time
    for (const one of [...wanted, { deviceId: { exact: deviceId } }].filter(Boolean)) {
      try {
        const stream = await navigator.mediaDevices.getUserMedia({ video: { ...one, width: { ideal: 1280 }, height: { ideal: 960 } } });
        if (open !== mine) { page.stopTracks(stream); return; }
        mine.stream = mine.video.srcObject = stream;
        await mine.video.play();
        mine.camera.querySelector(".fmp-video").classList.toggle("fmp-back", stream.getVideoTracks()[0].getSettings().facingMode === "environment");
        return;
      } catch { /* the next one */ }
    }
    mine.camera.querySelector("[data-action=cancel]").click();
  }

  function stopWatching() {
    if (!open?.watching) return;
    clearTimeout(open.timer);
    Object.assign(open, { watching: 0, still: 0, before: null });
    open.camera.querySelector("[data-action=real-watch]").setAttribute("aria-pressed", "false");
    tell("");
  }
  function watching(button) {
    if (open.watching) { stopWatching(); return; }
    const terms = find("[name=fmp-agree-photographs]");
    if (terms?.checked === false) { needing(lack(terms, "consent.missing")); return; }
    open.watching = Date.now();
    button.setAttribute("aria-pressed", "true");
    tell("real.watch_start");
    look();
  }
  /* One small picture after the other; each is answered before the next one goes. */
  function look() {
    if (!open?.watching) return;
    if (Date.now() - open.watching > LONGEST) { stopWatching(); tell("real.watch_over"); return; }
    open.timer = setTimeout(look, PAUSE);
    const canvas = !work.sent && !document.hidden && page.frame(open.video, SIDE);
    if (!canvas) return;
    const moment = canvas.toDataURL("image/jpeg", 0.8).split(",")[1], terms = find("[name=fmp-agree-photographs]");
    work.press("watch", { ...work.about(work.task), agreed: Boolean(terms?.checked), page_language: page.language, moment }, true);
  }
  document.addEventListener("fmp:answered", ({ detail: { answer, what } }) => {
    if (what.action !== "watch" || !open?.watching) return;
    if (answer.outcome !== "part") { if (answer.outcome === "refused" && !["too_fast", "photo_busy"].includes(answer.code)) stopWatching(); return; }
    if (!answer.whole) {
      Object.assign(open, { still: 0, before: null });
      tell(answer.seen ? "real.watch_whole" : "real.watch_nobody");
      return;
    }
    const moved = open.before && Math.max(...answer.points.map(([x, y], at) => Math.hypot(x - open.before[at][0], y - open.before[at][1])));
    open.still = open.before && moved < STILL ? open.still + 1 : 0;
    open.before = answer.points;
    if (open.still < LOOKS) { tell("real.watch_still"); return; }
    const take = open.camera.querySelector("[data-action=take]");
    stopWatching();
    speak(page.say("real.watch_taken"));
    take.click();
  });

  element.addEventListener("change", ({ target }) => {
    if (!("voice" in target.dataset)) return;
    store(VOICE, target.checked ? "on" : "off");
    unlockVoice();
  });
  Object.assign(actions, { "real-turn": turn, "real-watch": watching });
})();

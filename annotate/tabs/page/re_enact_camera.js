/* The camera of the re-enactment: the pose beside the live picture, and the check for the task that the whole body is visible. */
(() => {
  let answered = () => {}; // resolves the pending check

  document.addEventListener("fmp:stage", () => {
    if (!find(".fmp-real")) return;
    stage.querySelectorAll(".fmp-real-column").forEach((column) => {
      const shot = column.querySelector(".fmp-enlarge"), like = document.createElement("div"), mirrored = document.createElement("p");
      like.className = `fmp-like ${shot.className.replace("fmp-enlarge", "")}`;
      like.style.cssText = shot.style.cssText;
      like.append(shot.querySelector("img").cloneNode());
      page.write(like.firstChild, `shots.${column.dataset.column}`, {}, "alt");
      mirrored.className = "fmp-small fmp-mirrored";
      page.write(mirrored, "real_pair.mirrored");
      column.querySelector(".fmp-camera").prepend(like);
      column.querySelector(".fmp-video").after(mirrored);
    });
  });

  /* One small picture for the open task; each is answered before the next one is sent. */
  work.look = (canvas) => {
    if (work.sent) return null;
    const moment = canvas.toDataURL("image/jpeg", 0.8).split(",")[1], terms = find("[name=fmp-agree-photographs]");
    const reply = new Promise((done) => { answered = done; setTimeout(done, 8000, null); });
    work.press("watch", { ...work.about(work.task), agreed: Boolean(terms?.checked), page_language: page.language, moment }, true);
    return reply;
  };
  document.addEventListener("fmp:answered", ({ detail: { answer, what } }) => {
    if (what.action !== "watch") return;
    answered(answer.outcome === "part" ? answer : null);
    if (answer.outcome === "refused" && !["too_fast", "photo_busy"].includes(answer.code)) find(".fmp-camera:not([hidden]) [data-action=watch][aria-pressed=true]")?.click();
  });
})();

/* Results: saving a file that the server made, and the buttons of an owner. */
(() => {
  const LOOKS = 20, PAUSE = 1500; // number of checks and milliseconds between them, while an owner's page waits for the publication
  let looks = 0;
  places.look = () => "results";
  actions.download = (button) => work.press("download", { form: button.dataset.form });
  actions.unblind = () => { keepHere(KEPT.unblind, "yes"); work.sit("results"); };
  actions.decide = ({ dataset }) => work.press("decide", { item: dataset.item, choice: dataset.choice });
  actions.answers = ({ dataset }) => work.press("answers", { of: dataset.of, page: Number(dataset.page || 0) });
  element.addEventListener("change", ({ target }) => { if (target.name === "fmp-answers-of" && !work.busy) work.press("answers", { of: target.value, page: 0 }); });
  actions.publish = () => { looks = LOOKS; work.press("publish"); say("owner.publishing"); };
  actions.stop = (button) => { work.press("stop", { stopped: button.dataset.stopped === "true" }); };
  document.addEventListener("fmp:answered", ({ detail: { answer, what } }) => {
    if (answer.outcome !== "part") return;
    if (answer.part === "answers") showAnswers(answer);
    if (what.action === "decide") { renew(answer, what.action); const shown = stage.querySelector(".fmp-answers[data-page]"); if (shown?.querySelector("article")) actions.answers(shown); return; }
    if (answer.part === "file") save(answer);
    if (answer.part === "owner") renew(answer, what.action);
  });
  function save(answer) {
    const bytes = Uint8Array.from(atob(answer.data), (letter) => letter.charCodeAt(0));
    page.save(new Blob([bytes], { type: answer.type }), answer.name);
    say("results.downloaded", { name: answer.name });
  }
  function showAnswers(answer) {
    const old = stage.querySelector(".fmp-answers");
    if (!old) return;
    const pressed = old.contains(document.activeElement);
    old.outerHTML = answer.html;
    const now = stage.querySelector(".fmp-answers");
    page.apply(now);
    if (!pressed) return;
    now.querySelector("h3").focus({ preventScroll: true });
    now.scrollIntoView({ block: "start" });
  }
  /* The present panel; checked again while anything waits to be published. */
  function renew(answer, action) {
    const old = stage.querySelector(".fmp-owner");
    if (!old) return;
    const pressed = old.contains(document.activeElement) && document.activeElement;
    old.outerHTML = answer.html;
    const panel = stage.querySelector(".fmp-owner");
    page.apply(panel);
    if (pressed) (panel.querySelector(`[data-action=${pressed.dataset.action}]`) || panel.querySelector("[data-action=publish]") || panel.querySelector("h3")).focus({ preventScroll: true });
    if (action === "decide") say("owner.decided");
    else if (action === "stop") say("");
    else if (!answer.waiting) say("owner.published_now");
    else if (looks > 0) look();
    else say("owner.not_yet");
  }
  function look() {
    setTimeout(() => {
      if (!stage.querySelector(".fmp-owner") || looks <= 0) return;
      looks -= 1;
      if (work.sent) look(); // another request is pending
      else work.press("owner", {}, true);
    }, PAUSE);
  }
})();

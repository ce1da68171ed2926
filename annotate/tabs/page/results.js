/* Results: a file that the server made is handed to the browser to save; and what an owner may press. */
(() => {
  const LOOKS = 20, PAUSE = 1500; // how often, and after how many milliseconds, an owner's page looks whether all is published
  let looks = 0;
  places.look = () => "results";
  actions.download = (button) => work.press("download", { form: button.dataset.form });
  actions.unblind = () => { keepHere(KEPT.unblind, "yes"); work.sit("results"); };
  actions.publish = () => { looks = LOOKS; work.press("publish"); say("owner.publishing"); };
  document.addEventListener("fmp:answered", ({ detail: { answer } }) => {
    if (answer.outcome !== "part") return;
    if (answer.part === "file") save(answer);
    if (answer.part === "owner") renew(answer);
  });
  function save(answer) {
    const bytes = Uint8Array.from(atob(answer.data), (letter) => letter.charCodeAt(0));
    page.save(new Blob([bytes], { type: answer.type }), answer.name);
    say("results.downloaded", { name: answer.name });
  }
  /* The panel as it is now; while something waits that is to be published, it is looked at again. */
  function renew(answer) {
    const old = stage.querySelector(".fmp-owner");
    if (!old) return;
    const pressed = old.contains(document.activeElement);
    old.outerHTML = answer.html;
    const panel = stage.querySelector(".fmp-owner");
    page.apply(panel);
    if (pressed) (panel.querySelector("[data-action=publish]") || panel.querySelector("h3")).focus({ preventScroll: true });
    if (!answer.waiting) say("owner.published_now");
    else if (looks > 0) look();
    else say("owner.not_yet");
  }
  function look() {
    setTimeout(() => {
      if (!stage.querySelector(".fmp-owner") || looks <= 0) return;
      looks -= 1;
      if (work.sent) look(); // something else is on its way
      else work.press("owner", {}, true);
    }, PAUSE);
  }
})();

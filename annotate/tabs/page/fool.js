/* The task "Fool it": the model's ranking beside the text during typing. Each attempt is kept; one that fools the model, or that it is too busy for, is given. */
(() => {
  const PAUSE = 500, BUSY = 3000; // milliseconds without typing until the model is asked, and until it is asked again
  let timer = 0, asked = null, kept = 0;
  const ranking = () => find(".fmp-fool-ranking");
  function tell(key) {
    const sentence = document.createElement("p");
    sentence.className = "fmp-soft";
    page.write(sentence, key);
    ranking().replaceChildren(sentence);
  }
  /* One request at a time: any other one goes first. */
  function ask(pause = PAUSE) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!ranking() || !work.task) return;
      const text = work.form.elements.text.value;
      if (work.sent || !navigator.onLine) ask();
      else if (text !== asked) work.press("rank", { ...work.about(work.task), text: asked = text }, true);
    }, pause);
  }
  document.addEventListener("fmp:answered", ({ detail: { answer, what } }) => {
    if (!ranking() || !["rank", "attempt"].includes(what.action) || what.token !== work.task?.token) return;
    if (answer.outcome === "part") {
      ranking().innerHTML = answer.html;
      page.apply(ranking());
    } else if (what.action === "rank") {
      tell("fool.busy");
      asked = null;
      ask(BUSY);
    }
    if (what.action !== "attempt" || answer.outcome !== "part") return;
    if (answer.settled) { send("give"); return; }
    const place = find(".fmp-fool-kept");
    page.write(place.querySelector("p"), "fool.kept", { number: kept += 1 });
    place.hidden = false;
    work.form.elements.text.focus();
  });
  element.addEventListener("input", ({ target }) => { if (target.name === "text" && ranking()) ask(); });
  document.addEventListener("fmp:stage", () => { asked = null; kept = 0; if (ranking()) ask(0); });
  window.addEventListener("offline", () => { if (ranking()) tell("fool.offline"); });
  window.addEventListener("online", () => { if (ranking()) { asked = null; ask(0); } });

  const { give } = actions;
  Object.assign(actions, {
    finish: () => send("give"),
    give: (pressed) => {
      if (!ranking()) { give(pressed); return; }
      const fields = complete(work.form);
      if (fields) work.press("attempt", { ...work.about(work.task), fields });
    },
  });
})();

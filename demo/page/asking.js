/* A form's question on its way: what is said to the visitor meanwhile, and what ends the wait. Each form has its own. */
(() => {
  const page = window.FMP;
  const PATIENCE = 120_000; // milliseconds without a word: a full queue is answered long before
  const LOST = "fixmypose.lost";
  const LEAVING = 500; // milliseconds: Gradio waits two seconds before it reloads
  const PACE = 1500; // milliseconds between two words about progress
  const MOMENT = 400; // milliseconds: whoever is served sooner need not read of a queue

  page.forms = {};

  /* Gradio reloads the page once a lost connection is back, and the photographs go with it; the new page says why. */
  function remember(name) {
    try { if (name) sessionStorage.setItem(LOST, name); else sessionStorage.removeItem(LOST); } catch { /* a private window may refuse */ }
  }
  function wasLost() {
    try { return sessionStorage.getItem(LOST); } catch { return null; }
  }

  /* Each upload gets a name of its own, so that nobody's file is ever another's. */
  page.anonymous = (file) => {
    const name = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return new File([file], name, { type: "application/octet-stream" });
  };

  /* Why photographs were not sent: 507 is the server's word for a folder that is full. */
  page.unsent = (error) => (String(error?.message).startsWith("HTTP 507") ? "faults.full" : "faults.unreachable");

  /* One sentence into an alert: a text as `page.write` takes it and its places, led by the name of what it is `about`; or an element that the server wrote. */
  page.tell = (alert, text, places, about) => {
    const sentence = document.createElement("p");
    if (text instanceof Node) sentence.append(text.cloneNode(true));
    else for (const [part, values] of [...(about ? [[about].flat()] : []), [text, places]]) {
      if (sentence.childNodes.length) sentence.append(": ");
      page.write(sentence.appendChild(document.createElement("span")), part, values);
    }
    alert.replaceChildren(sentence);
    page.apply(alert);
  };

  /* `component` is what Gradio gives a script: element, props, trigger, upload. `words` are keys: working, ready and, where it is told, progress. */
  page.asking = (name, { element, props, trigger, upload }, words) => {
    const find = (selector) => element.querySelector(selector);
    const line = find(".fmp-go [role=status]"), alert = find(".fmp-form > .fmp-alert");
    let leaving = false, waiting = 0, losing = 0, soon = 0, lastStatus = 0, ticket = null, subject = null, shownAnswer = null;
    let statusAbout = null; // what was given when the status was written

    const form = {
      busy: false,
      asks: () => null, // what an answer would be about now; each form has its own

      get open() { return !element.closest(".fmp-panel")?.hidden; },

      /* What is wrong, see `page.tell`: said in the place where it is, whose `node` is marked and brought into view, else above the button. */
      alert(text, places, about, place) {
        form.clearStatus();
        page.tell(place?.node.querySelector(".fmp-alert") || alert, text, places, about);
        place?.node.classList.add("fmp-wrong");
        (place?.node || alert).scrollIntoView({ block: "nearest" });
      },
      calm() {
        element.querySelectorAll(".fmp-alert, .fmp-several").forEach((one) => one.replaceChildren());
        element.querySelectorAll(".fmp-wrong").forEach((node) => node.classList.remove("fmp-wrong"));
      },
      /* That an answer is about something else than what is given by now is more than anything that was done about it. */
      status(key, places) {
        statusAbout = form.asks();
        if (!form.busy && isOld(true)) page.write(line, words.outdated);
        else page.write(line, key, places);
      },
      clearStatus: () => page.clear(line),

      /* Nothing else is done while the form waits, and a key says for what; null once that is over. */
      hold(key) {
        form.busy = Boolean(key);
        find(".fmp-form").setAttribute("aria-busy", String(form.busy));
        find(".fmp-primary").setAttribute("aria-disabled", String(form.busy));
        find(".fmp-form").classList.toggle("fmp-busy", form.busy);
        if (key) form.status(key);
        else form.clearStatus();
      },
      /* Wait for photographs that are still being made smaller; none that fails keeps the form shut. */
      async settled(...pending) {
        form.hold("form.shrinking");
        await Promise.allSettled(pending);
        form.hold(null);
      },

      /* Send the files, then the question that `ask` makes of what the server calls them. */
      async send(files, ask) {
        subject = form.asks();
        form.hold("form.sending");
        try {
          const stored = await Promise.all(files.map((file) => upload(page.anonymous(file))));
          props.value = ask(stored.map(({ path }) => ({ path, meta: { _type: "gradio.FileData" } })));
        } catch (error) {
          form.hold(null);
          form.alert(page.unsent(error));
          return;
        }
        form.status(words.working);
        wait();
        trigger("submit");
      },

      /* Called when the answer has arrived, and when the queue or the connection failed. */
      answered(good) {
        clearTimeout(waiting);
        clearTimeout(losing);
        clearTimeout(soon);
        ticket = null;
        form.hold(null);
        props.value = null;
        form.calm();
        remember(null);
        if (good) { shownAnswer = null; form.status(words.ready); } // the answer before is gone: nothing is said of it any more
      },
      /* An answer is there that is about `about`, what was asked last unless it is told: where something else is given by now, the answer says so. */
      shows(section, about = subject) {
        shownAnswer = section && { section, about };
        form.changed();
        return about;
      },
      /* Whether an answer is there, and is about what is given by now. */
      shownIsAsked: () => Boolean(shownAnswer) && !isOld(),
      /* Something else is given than before: a status that was about that is gone. */
      changed() {
        const old = isOld();
        if (!form.busy && statusAbout !== form.asks()) form.clearStatus();
        if (!shownAnswer || old === "outdated" in shownAnswer.section.dataset) return;
        if (old) { shownAnswer.section.dataset.outdated = ""; if (isOld(true)) form.status(words.outdated); }
        else delete shownAnswer.section.dataset.outdated;
      },
      /* The page is open, what was kept is back, `complete` or not: said where a lost connection was why it had to be opened again. */
      reopened(complete = false) {
        if (wasLost() !== name) return;
        remember(null);
        form.alert(complete ? "faults.reopened" : "faults.reopened_without");
      },
      failed() {
        form.answered(false);
        form.alert("faults.busy");
      },
    };

    /* An example says itself what it is about: of it nothing has to be `told`. */
    const isOld = (told) => Boolean(shownAnswer) && shownAnswer.about !== form.asks() && !(told && shownAnswer.section.dataset.outcome === "example");
    function wait() {
      clearTimeout(waiting);
      waiting = setTimeout(form.failed, PATIENCE);
    }

    /* The first question that joins the queue after this form sent one is this form's. */
    document.addEventListener("fmp:joined", (event) => {
      if (!form.busy || ticket || event.defaultPrevented) return;
      ticket = event.detail;
      event.preventDefault();
    });
    document.addEventListener("fmp:queue", ({ detail: { id, place, size } }) => {
      if (id !== ticket || !form.busy) return;
      wait();
      clearTimeout(soon);
      if (place) soon = setTimeout(() => form.status("form.queued", { place, size }), MOMENT);
      else { form.status(words.working); lastStatus = performance.now(); }
    });
    /* Now and then only: a screen reader speaks every change. */
    document.addEventListener("fmp:progress", ({ detail: { id, number, of } }) => {
      if (id !== ticket || !form.busy || !words.progress) return;
      wait();
      const now = performance.now();
      if (now - lastStatus < PACE) return;
      lastStatus = now;
      form.status(words.progress, { number, of });
    });
    document.addEventListener("fmp:trouble", () => {
      if (!form.busy || leaving) return;
      form.failed();
      /* A page that is being left loses its connection too, now and then before it is told; such a page is gone by then. */
      losing = setTimeout(() => remember(leaving ? null : name), LEAVING);
    });
    window.addEventListener("beforeunload", () => { leaving = true; clearTimeout(losing); });

    page.forms[name] = form;
    return form;
  };
})();

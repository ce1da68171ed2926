/* A pending request of a form: the status shown to the visitor, and the events that end the wait. Each form has its own. */
(() => {
  const page = window.FMP;
  const PATIENCE = 120_000; // milliseconds without a message: a full queue is answered long before
  const LOST = "fixmypose.lost";
  const LEAVING = 500; // milliseconds: Gradio waits two seconds before it reloads
  const PACE = 1500; // milliseconds between two progress messages
  const MOMENT = 400; // milliseconds: a faster answer shows no queue status

  page.forms = {};

  /* Gradio reloads the page once a lost connection is back, and the photographs are lost; the new page says why. */
  function remember(name) {
    try { if (name) sessionStorage.setItem(LOST, name); else sessionStorage.removeItem(LOST); } catch { /* a private window may refuse */ }
  }
  function wasLost() {
    try { return sessionStorage.getItem(LOST); } catch { return null; }
  }

  /* Each upload gets a unique name, so that no file is confused with another. */
  page.anonymous = (file) => {
    const name = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return new File([file], name, { type: "application/octet-stream" });
  };

  /* Why photographs were not sent: 507 means that the server's folder is full. */
  page.unsent = (error) => (String(error?.message).startsWith("HTTP 507") ? "faults.full" : "faults.unreachable");

  /* Write one sentence into an alert: a text as `page.write` takes it with its placeholders, preceded by the name of what it is `about`; or an element from the server. */
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

  /* `component` is what Gradio gives a script: element, props, trigger, upload. `words` are keys: working, ready and, if shown, progress. */
  page.asking = (name, { element, props, trigger, upload }, words) => {
    const find = (selector) => element.querySelector(selector);
    const mainLine = find(".fmp-go [role=status]") ?? find("[role=status]"), alert = find(".fmp-form > .fmp-alert");
    let line = mainLine; // where statuses are written
    let leaving = false, waiting = 0, losing = 0, soon = 0, lastStatus = 0, ticket = null, subject = null, shownAnswer = null;
    let statusAbout = null; // the input when the status was written

    const form = {
      busy: false,
      asks: () => null, // the input that an answer would be about now; each form defines it

      get open() { return !element.closest(".fmp-panel")?.hidden; },

      /* Show a problem, see `page.tell`: at its place, whose `node` is marked and scrolled into view, else above the button. */
      alert(text, places, about, place) {
        form.clearStatus();
        page.tell(place?.node.querySelector(".fmp-alert") || alert, text, places, about);
        place?.node.classList.add("fmp-wrong");
        (place?.node || alert).scrollIntoView({ block: "nearest" });
      },
      calm() {
        form.tellAt(mainLine);
        element.querySelectorAll(".fmp-alert, .fmp-several").forEach((one) => one.replaceChildren());
        element.querySelectorAll(".fmp-wrong").forEach((node) => node.classList.remove("fmp-wrong"));
      },
      /* That an answer does not match the current input has priority over other statuses about it. */
      status(key, places) {
        statusAbout = form.asks();
        if (!form.busy && isOld(true)) page.write(line, words.outdated);
        else page.write(line, key, places);
      },
      clearStatus: () => page.clear(line),
      /* Write statuses to another line until the next action. */
      tellAt(other) {
        if (line !== other) form.clearStatus();
        line = other;
      },

      /* Block other actions while the form waits; a key says for what, null ends it. */
      hold(key) {
        form.busy = Boolean(key);
        find(".fmp-form").setAttribute("aria-busy", String(form.busy));
        element.querySelectorAll(".fmp-primary, .fmp-asks").forEach((button) => button.setAttribute("aria-disabled", String(form.busy)));
        find(".fmp-form").classList.toggle("fmp-busy", form.busy);
        if (key) form.status(key);
        else form.clearStatus();
      },
      /* Wait for photographs that are still being scaled down; a failed one does not block the form. */
      async settled(...pending) {
        form.hold("form.shrinking");
        await Promise.allSettled(pending);
        form.hold(null);
      },

      /* Send the files, then the request that `ask` makes from the server's names of them, by an event of the component. */
      async send(files, ask, event = "submit") {
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
        trigger(event);
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
        if (good) { shownAnswer = null; form.status(words.ready); } // the previous answer is gone: remove the status about it
      },
      /* An answer about `about` has arrived, by default about the last request; if the input has changed since, the answer says so. */
      shows(section, about = subject) {
        shownAnswer = section && { section, about };
        form.changed();
        return about;
      },
      /* Whether there is an answer that matches the current input. */
      shownIsAsked: () => Boolean(shownAnswer) && !isOld(),
      /* The input has changed: remove a status about the previous input. */
      changed() {
        const old = isOld();
        if (!form.busy && statusAbout !== form.asks()) form.clearStatus();
        if (!shownAnswer || old === "outdated" in shownAnswer.section.dataset) return;
        if (old) { shownAnswer.section.dataset.outdated = ""; if (isOld(true)) form.status(words.outdated); }
        else delete shownAnswer.section.dataset.outdated;
      },
      /* The page is open and the stored input restored, `complete` or not; say so if a lost connection caused the reload. */
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

    /* An example states itself what it is about, so `told` is not needed. */
    const isOld = (told) => Boolean(shownAnswer) && shownAnswer.about !== form.asks() && !(told && shownAnswer.section.dataset.outcome === "example");
    function wait() {
      clearTimeout(waiting);
      waiting = setTimeout(form.failed, PATIENCE);
    }

    /* The first request that joins the queue after this form sent one is this form's. */
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
    /* At intervals only: a screen reader reads every change. */
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
      /* A page that is being left loses its connection too, sometimes before the event; it is gone by then. */
      losing = setTimeout(() => remember(leaving ? null : name), LEAVING);
    });
    window.addEventListener("beforeunload", () => { leaving = true; clearTimeout(losing); });

    page.forms[name] = form;
    return form;
  };
})();

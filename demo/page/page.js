/* The page as a whole: its language, and which tab is open. */
(() => {
  const texts = window.FMP_TEXTS;
  const stored = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  const store = (name, value) => { try { localStorage.setItem(name, value); } catch { /* a private window may refuse */ } };
  const KEY = "fixmypose.language";
  const first = [new URLSearchParams(location.search).get("lang"), stored(KEY), (navigator.language || "").slice(0, 2), "en"].find((code) => Object.hasOwn(texts, code));

  const page = {
    language: first,
    stored,
    store,

    /* A text in the page's language with its placeholders filled: from a key, or given in every language. */
    say: (text, places) => filled(text, places, page.language),

    /* The text of a key in every language, for a placeholder of another text. */
    inEach: (key) => Object.fromEntries(Object.keys(texts).map((code) => [code, texts[code][key]])),

    /* The body parts that a form omits, and the words that list them, none or one. */
    leftOut: (form) => [...form.querySelectorAll("[name=fmp-leave-out]:checked")].map(({ value }) => value),
    leftOutWords(form) {
      const named = [...form.querySelectorAll("[name=fmp-leave-out]:checked + span")].map((span) => span.textContent);
      return named.length ? [`${form.querySelector(".fmp-leave-out legend").textContent}: ${named.join(", ")}`] : [];
    },

    /* Write such a text into an element, so that it follows the language switch. */
    write(node, text, places, slot = "text") {
      const slots = JSON.parse(node.getAttribute("data-i18n") || "{}");
      slots[slot] = Object.fromEntries(Object.keys(texts).map((code) => [code, filled(text, places, code)]));
      node.setAttribute("data-i18n", JSON.stringify(slots));
      show(node);
    },

    /* Remove the text from an element. */
    clear(node) {
      node.textContent = "";
      node.removeAttribute("data-i18n");
    },

    /* Show every text below an element in the page's language; skip missing keys. */
    apply(root) {
      if (matchMedia("(hover: none), (pointer: coarse)").matches) root.querySelectorAll?.("[aria-keyshortcuts]").forEach((node) => node.removeAttribute("aria-keyshortcuts"));
      if (root.matches?.("[data-i18n]")) show(root);
      root.querySelectorAll?.("[data-i18n]").forEach(show);
    },

    setLanguage(code) {
      page.language = code;
      store(KEY, code);
      const address = new URL(location);
      if (address.searchParams.has("lang")) { address.searchParams.delete("lang"); history.replaceState(null, "", address); } // the chosen language applies from now on
      speakAs();
      page.apply(document);
      document.dispatchEvent(new CustomEvent("fmp:language"));
    },

    /* Whether reduced motion is set. */
    still: () => matchMedia("(prefers-reduced-motion: reduce)").matches,

    /* Let the browser save a file. */
    save(file, name) {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(file);
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    },

    /* Scroll an answer into view, and move a screen reader to its heading. */
    arrived(answer) {
      answer.querySelector("h2").focus({ preventScroll: true });
      answer.scrollIntoView({ block: "start", behavior: page.still() ? "auto" : "smooth" });
    },

    /* Open a tab; a closed one stays closed, and the reason is shown below the tabs. */
    openTab(name, focus = false) {
      const { why } = document.getElementById(`tab-${name}`).dataset, told = document.querySelector(".fmp-shut");
      if (why) { page.write(told, why); return; }
      page.clear(told);
      document.querySelectorAll(".fmp-tab").forEach((tab) => {
        const open = tab.dataset.tab === name;
        tab.setAttribute("aria-selected", String(open));
        tab.tabIndex = open ? 0 : -1;
        const panel = document.getElementById(tab.getAttribute("aria-controls"));
        if (panel) {
          panel.setAttribute("role", "tabpanel");
          panel.setAttribute("aria-labelledby", tab.id);
          panel.hidden = !open;
        }
        if (open && focus) tab.focus();
      });
      document.dispatchEvent(new CustomEvent("fmp:tab", { detail: name }));
    },
  };

  function filled(text, places = {}, code) {
    const words = typeof text === "string" ? texts[code][text] : text[code];
    return words.replace(/\{(\w+)\}/g, (match, name) => places[name]?.[code] ?? places[name] ?? match);
  }
  function show(node) {
    let slots;
    try { slots = JSON.parse(node.getAttribute("data-i18n")); } catch { return; }
    for (const [slot, byLanguage] of Object.entries(slots)) {
      const value = byLanguage[page.language];
      if (slot !== "text") {
        if (node.getAttribute(slot) !== value) node.setAttribute(slot, value);
      } else if (node.textContent !== value) node.textContent = value;
    }
  }

  function speakAs() {
    const root = document.documentElement;
    if (root.lang !== page.language) root.lang = page.language;
    const title = texts[page.language]["page.title"];
    if (document.title !== title) document.title = title;
    document.querySelectorAll(".fmp-language").forEach((button) => {
      button.setAttribute("aria-pressed", String(button.dataset.language === page.language));
    });
  }

  window.FMP = page;
  speakAs();

  /* All new content is shown in the page's language before it is painted. */
  new MutationObserver((changes) => {
    let appeared = false;
    for (const change of changes) {
      for (const node of change.addedNodes) {
        if (node.nodeType !== Node.ELEMENT_NODE) continue;
        page.apply(node);
        appeared = true;
        /* Gradio's own messages are hidden (page.css), but only they report a lost connection. */
        if (change.target.closest(".toast-wrap") || node.querySelector(".toast-body")) document.dispatchEvent(new CustomEvent("fmp:trouble"));
      }
    }
    if (appeared) {
      speakAs();
      if (!document.querySelector(".fmp-tab[aria-selected=true]")) openFirst();
      else if (document.querySelector(".fmp-panel:not([role])")) page.openTab(document.querySelector(".fmp-tab[aria-selected=true]").dataset.tab);
    }
  }).observe(document.documentElement, { childList: true, subtree: true });
  new MutationObserver(speakAs).observe(document.documentElement, { attributes: true, attributeFilter: ["lang"] });

  const openTabs = () => [...document.querySelectorAll(".fmp-tab:not([aria-disabled])")];
  function openFirst() {
    const tabs = [...document.querySelectorAll(".fmp-tab")];
    if (!tabs.length) return;
    document.getElementById("fmp-first")?.remove(); // the page is built
    const tabOfAddress = tabs.find((tab) => tab.dataset.tab === location.hash.slice(1).split("/")[0]);
    const opens = [tabOfAddress, ...openTabs()].find((tab) => tab && !tab.dataset.why);
    page.openTab(opens.dataset.tab);
    if (tabOfAddress?.dataset.why) page.openTab(tabOfAddress.dataset.tab); // says why it is closed
  }

  window.addEventListener("hashchange", openFirst);
  document.addEventListener("click", (event) => {
    const language = event.target.closest?.(".fmp-language");
    if (language) page.setLanguage(language.dataset.language);
    const tab = event.target.closest?.(".fmp-tab");
    if (tab) { if (!tab.dataset.why) history.replaceState(null, "", `#${tab.dataset.tab}`); page.openTab(tab.dataset.tab); }
    const skip = event.target.closest?.(".fmp-skip");
    if (skip) { event.preventDefault(); document.querySelector(".fmp-panel:not([hidden]) h2")?.focus(); }
  });

  document.addEventListener("keydown", (event) => {
    if (!event.target.matches?.(".fmp-tab")) return;
    const tabs = openTabs();
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const { tab } = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length].dataset;
    history.replaceState(null, "", `#${tab}`); // a reload opens it again
    page.openTab(tab, true);
  });
})();

/* The page for programs: its language, shared with the app, light or dark theme, and copying of its snippets. */
(() => {
  const KEY = "fixmypose.language", root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
  const buttons = [...document.querySelectorAll(".fmp-language")];
  const known = (code) => buttons.some((button) => button.dataset.language === code);
  const status = document.querySelector(".fmp-copy-status");

  function show(node) {
    for (const [slot, words] of Object.entries(JSON.parse(node.dataset.i18n))) {
      if (slot === "text") node.textContent = words[root.lang];
      else node.setAttribute(slot, words[root.lang]);
    }
  }
  function speak(code) {
    root.lang = code;
    document.querySelectorAll("[data-i18n]").forEach(show);
    document.title = document.querySelector("h1").textContent;
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.language === code)));
  }
  function say(key) {
    status.dataset.i18n = JSON.stringify({ text: JSON.parse(status.dataset[key]) });
    show(status);
  }
  async function copy(name) {
    const code = document.getElementById(name);
    try {
      await navigator.clipboard.writeText(code.textContent);
      say("copied");
    } catch { // a page without HTTPS has no clipboard: the text is selected, so that keys copy it
      getSelection().selectAllChildren(code);
      say("marked");
    }
  }

  document.addEventListener("click", ({ target }) => {
    const language = target.closest(".fmp-language")?.dataset.language, name = target.closest("[data-copy]")?.dataset.copy;
    if (name) copy(name);
    if (!language) return;
    try { localStorage.setItem(KEY, language); } catch { /* a private window may refuse */ }
    speak(language);
  });
  const shade = () => root.classList.toggle("dark", dark.matches);
  dark.addEventListener("change", shade);
  shade();
  speak([new URLSearchParams(location.search).get("lang"), stored(), navigator.language.slice(0, 2)].find(known) || "en");
})();

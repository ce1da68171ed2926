/* The rules of a text, ticked while it is typed. The server checks again; these only save a round trip. */
const CHECKS = (() => {
  const words = (text) => text.split(/\s+/u).filter(Boolean);
  const spoken = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || []);
  const inScript = (text, { script, least_share: share }) => {
    if (!script) return true;
    const letters = [...text].filter((letter) => /[\p{L}\p{M}]/u.test(letter)), own = new RegExp(`\\p{Script=${script}}`, "u");
    return letters.length > 0 && letters.filter((letter) => own.test(letter)).length >= share * letters.length;
  };

  /* Whether a text satisfies a rule; `rules` are the server's numbers, `same` lifts the minimum length. */
  const keeps = {
    too_short: (text, rules, same) => same || words(text).length >= rules.least_words,
    symbols: (text, rules) => ![...rules.symbols].some((symbol) => text.includes(symbol)),
    repetitive: (text, rules) => new Set(words(text)).size >= rules.least_unique * words(text).length,
    script: inScript,
    too_much_shorter: (text, rules) => words(text).length >= rules.shortest * Math.max(rules.original, 1),
    too_much_longer: (text, rules) => words(text).length <= rules.longest * Math.max(rules.original, 1),
  };
  return {
    kept: (code, text, rules, same) => (code.startsWith("term_") ? !spoken(text).has(code.slice(5)) : keeps[code](text, rules, same)),
    count: (text) => words(text).length,
  };
})();

function tick() {
  const list = find(".fmp-writing-rules"), text = work.form?.elements.text;
  if (!list || !text) return;
  const rules = JSON.parse(list.dataset.rules), begun = Boolean(text.value.trim());
  const same = Boolean(work.form.querySelector("input[value=no_clear_difference]:checked"));
  let broken = 0;
  list.querySelectorAll("[data-rule]").forEach((item) => {
    const passes = CHECKS.kept(item.dataset.rule, text.value, rules, same);
    broken += !passes;
    item.dataset.state = !begun ? "open" : passes ? "kept" : "broken";
  });
  const counted = list.querySelector(".fmp-counted"), status = list.querySelector(".fmp-checked");
  if (counted) page.write(counted, "checks.counted", { count: CHECKS.count(text.value) });
  if (!begun) page.clear(status);
  else if (broken) page.write(status, "checks.some_broken", { count: broken });
  else page.write(status, "checks.all_kept");
}
element.addEventListener("input", (event) => { if (event.target.closest?.("form.fmp-task")) tick(); });
document.addEventListener("fmp:stage", tick);

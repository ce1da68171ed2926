/* The ranking: shown in the page's language, and brought into view when it arrives. */
const page = window.FMP;
const shelf = page.kept("retrieve");

watch("value", () => {
  page.apply(element);
  const ranking = element.querySelector(".fmp-ranking"), form = page.forms.retrieve;
  const { outcome, about, place, people } = ranking.dataset, good = outcome === "ranking";
  if (outcome === "empty") { form.shows(null); return; }
  form.answered(good);
  shelf.put("answer", good ? { html: props.value, about: form.shows(ranking) } : form.shows(null));
  if (about) form.refused(about, ranking.querySelector(".fmp-refused"), Number(place));
  else if (!good || !form.seen(JSON.parse(people))) page.arrived(ranking);
});
/* The ranking that was here before the page was loaded again. */
document.addEventListener("fmp:back", ({ detail }) => {
  const { html, about } = shelf.get("answer") || {};
  if (detail !== "retrieve" || !html) return;
  element.innerHTML = html;
  page.apply(element);
  page.forms.retrieve.shows(element.querySelector(".fmp-ranking"), about);
});
element.addEventListener("click", (event) => { if (event.target.closest("[data-action=again]")) page.forms.retrieve.ask(); });
page.apply(element);

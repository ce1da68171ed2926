/* The ranking: shown in the page's language, and brought into view when it arrives. */
const page = window.FMP;

watch("value", () => {
  page.apply(element);
  const ranking = element.querySelector(".fmp-ranking");
  if (ranking.dataset.outcome === "empty") return;
  page.forms.retrieve.answered(ranking.dataset.outcome === "ranking");
  page.arrived(ranking);
});
page.apply(element);

/* The examples: one is answered when the page opens, each other one at once when it is pressed or its URL is opened. */
const strip = find(".fmp-examples ul"), { opening } = find(".fmp-form").dataset;
const formChanged = form.changed;
let exampleAsked = 0, exampleShown = null;

const exampleNamed = (name) => [...element.querySelectorAll("[data-action=example]")].find(({ dataset }) => dataset.name === name);
const exampleOfAddress = () => exampleNamed(location.hash.match(/^#correct\/(.+)$/)?.[1]);
const isOpening = () => Boolean(document.querySelector("#answer [data-outcome=example]"));

/* Answers cached on the server are by the first model and omit no parts. */
function isAnsweredAhead() {
  return !page.leftOut(element).length && find("input[name=fmp-answer-model]")?.checked !== false;
}
async function fetched(address, read) {
  const response = await fetch(new URL(address, document.baseURI), { priority: "high" }); // before the small pictures
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return read(response);
}
function answerOf(name) {
  const language = find("input[name=fmp-answer-language]:checked").value;
  return fetched(`examples/answer?${new URLSearchParams({ name, language })}`, (response) => response.text());
}

/* Only the last requested example counts, and it does not undo what the visitor did meanwhile. */
actions.example = async (button) => {
  const mine = exampleAsked += 1, { name } = button.dataset, before = form.asks(), pictures = [...button.querySelectorAll("img")];
  form.calm();
  const answering = isAnsweredAhead() ? answerOf(name).catch(() => null) : null;
  let files;
  try {
    files = await Promise.all(pictures.map(({ dataset: { which } }) => fetched(`examples/picture?name=${name}_${which}`, (response) => response.blob())));
  } catch {
    if (mine === exampleAsked) form.alert("faults.unreachable");
    return;
  }
  const html = await answering;
  if (mine !== exampleAsked || form.busy || before !== form.asks()) return;
  pictures.forEach(({ dataset: { which } }, index) => slots[which].set(files[index], page.inEach(`scenes.${name}_${which}`), { example: [name, which] }));
  exampleShown = form.asks();
  await Promise.all(both.map(({ node }) => node.querySelector(".fmp-filled img").decode().catch(() => {}))); // otherwise they would move the content that is scrolled into view
  if (exampleShown !== form.asks()) return;
  history.replaceState(null, "", `#correct/${name}`); // a link to share, which a reload opens
  if (!html || !isAnsweredAhead()) { form.ask(); return; }
  document.dispatchEvent(new CustomEvent("fmp:example", { detail: { html, about: exampleShown } }));
  form.status("form.ready");
};

form.bring = (name) => actions.example(exampleNamed(name));

/* The answer that is shown until the visitor adds a photograph; requested again in another language if that changes. */
async function openExample() {
  const mine = exampleAsked += 1, about = form.asks(), html = await answerOf(opening).catch(() => null);
  begun();
  if (html && mine === exampleAsked && !form.busy && about === form.asks()) document.dispatchEvent(new CustomEvent("fmp:example", { detail: { html, about, name: opening } }));
}
/* Once it is known whether an example comes; until then its space is reserved. */
function begun() { find(".fmp-form").dataset.begun = ""; }
function begin() {
  if (!form.open) return;
  if (both.some(({ photo, ready }) => photo || ready) || shelf.get("answer")) { begun(); return; }
  const linked = exampleOfAddress();
  if (linked) { begun(); actions.example(linked); } else if (document.querySelector("#answer [data-outcome=empty]")) openExample();
}

/* From the example to the visitor's own photographs. */
form.invite = () => {
  element.scrollIntoView({ block: "start", behavior: page.still() ? "auto" : "smooth" });
  slots.current.node.querySelector("[data-action=choose]").focus({ preventScroll: true });
};
/* On a phone the example is above the form until a photograph is added: the visible content keeps its place. */
form.changed = () => {
  const { top } = element.getBoundingClientRect();
  formChanged();
  const moved = element.getBoundingClientRect().top - top;
  if (moved) scrollBy({ top: moved, behavior: "instant" });
  if (exampleOfAddress() && exampleShown && exampleShown !== form.asks()) history.replaceState(null, "", "#correct");
};

actions.earlier = () => strip.scrollBy({ left: -strip.clientWidth * 0.8, behavior: page.still() ? "auto" : "smooth" });
actions.later = () => strip.scrollBy({ left: strip.clientWidth * 0.8, behavior: page.still() ? "auto" : "smooth" });
function tellEnds() {
  strip.parentNode.classList.toggle("fmp-overflows", strip.scrollWidth > strip.clientWidth + 1);
  find("[data-action=earlier]").disabled = strip.scrollLeft < 1;
  find("[data-action=later]").disabled = strip.scrollLeft + strip.clientWidth > strip.scrollWidth - 2;
}
strip.addEventListener("scroll", tellEnds, { passive: true });
new ResizeObserver(tellEnds).observe(strip);

document.addEventListener("fmp:back", ({ detail }) => { if (detail === "correct") begin(); });
document.addEventListener("fmp:tab", ({ detail }) => { if (detail === "correct") begin(); });
document.addEventListener("fmp:language", () => { if (isOpening()) openExample(); });
element.addEventListener("change", ({ target }) => { if (target.name === "fmp-answer-language" && isOpening()) openExample(); });
window.addEventListener("hashchange", () => { const linked = exampleOfAddress(); if (linked && !form.busy) actions.example(linked); });

/* The last answers, stored only in this browser: one is shown again when selected, and all are deleted on request. */
const page = window.FMP;
const MAX_ANSWERS = 10;
const list = element.querySelector("ol"), fold = element.querySelector("details");

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
function opened() {
  const request = indexedDB.open("fixmypose", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("answers", { keyPath: "at" });
  return done(request);
}
/* The result of `ask` on the stored answers; undefined if the browser stores none, as in some private windows. */
async function store(mode, ask) {
  let database;
  try {
    database = await opened();
    return await done(ask(database.transaction("answers", mode).objectStore("answers")));
  } catch { return undefined; } finally { database?.close(); }
}

async function draw() {
  const all = (await store("readonly", (answers) => answers.getAll())) || [];
  fold.hidden = !all.length;
  list.replaceChildren(...all.reverse().map(({ at, first, lang }) => {
    const item = document.createElement("li"), press = document.createElement("button"), when = document.createElement("time"), what = document.createElement("span");
    press.type = "button";
    press.className = "fmp-button";
    press.dataset.at = at;
    when.dateTime = new Date(at).toISOString();
    when.textContent = new Date(at).toLocaleString(page.language, { dateStyle: "medium", timeStyle: "short" });
    if (lang) what.lang = lang;
    what.textContent = first;
    press.append(when, what);
    item.append(press);
    return item;
  }));
}

document.addEventListener("fmp:answer", async ({ detail }) => {
  await store("readwrite", (answers) => answers.put({ at: Date.now(), ...detail }));
  const dates = (await store("readonly", (answers) => answers.getAllKeys())) || [];
  if (dates.length > MAX_ANSWERS) await store("readwrite", (answers) => answers.delete(IDBKeyRange.upperBound(dates.at(-MAX_ANSWERS - 1))));
  draw();
});
element.addEventListener("click", async (event) => {
  const { at } = event.target.closest("[data-at]")?.dataset || {};
  if (at) {
    const answer = await store("readonly", (answers) => answers.get(Number(at)));
    if (answer) document.dispatchEvent(new CustomEvent("fmp:again", { detail: answer.html }));
  }
  if (event.target.closest("[data-action=forget-earlier]")) {
    await store("readwrite", (answers) => answers.clear());
    draw();
    const status = element.querySelector("[role=status]");
    page.write(status, "earlier.deleted");
    status.focus(); // the pressed button is hidden now
  }
});
document.addEventListener("fmp:language", draw);
page.apply(element);
draw();

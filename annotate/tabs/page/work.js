/* "Help teach it": one stage that the server fills, and every request to the server. Typed text is stored. */
const page = window.FMP;
const find = (selector) => element.querySelector(selector);
const stage = find(".fmp-stage"), line = find(".fmp-said-line"), alert = find(".fmp-work > .fmp-alert");
const PATIENCE = 25_000; // milliseconds until a request counts as lost
const RENEWAL = 300_000; // milliseconds between renewals of a task in progress
const KEPT = { guest: "fixmypose.guest", language: "fixmypose.work_language", sent: "fixmypose.sent", unblind: "fixmypose.unblind", participant: "fixmypose.participant", draft: "fixmypose.draft." };
const DRAFTS = KEPT.draft; // prefix of the drafts of all users of this browser
const MAX_DRAFTS = 30;
const TAB = "annotate";

const memory = {}; // replaces the storage in a private window
const stored = (name) => { try { return localStorage.getItem(name) ?? memory[name] ?? null; } catch { return memory[name] ?? null; } };
const store = (name, value) => { memory[name] = value; try { localStorage.setItem(name, value); } catch { /* kept in memory only */ } };
const forget = (name) => { delete memory[name]; try { localStorage.removeItem(name); } catch { /* nothing was stored */ } };
const recall = (name) => { try { return JSON.parse(stored(name)) || {}; } catch { return {}; } };
const here = (name) => { try { return sessionStorage.getItem(name); } catch { return null; } }; // of this tab only
const keepHere = (name, value) => { try { sessionStorage.setItem(name, value); } catch { /* asked again then */ } };
const namesLike = (start) => { try { return Object.keys(localStorage).filter((name) => name.startsWith(start)); } catch { return []; } };
/* A participant sent by a payment service is a different person from earlier users of this browser. */
const address = new URLSearchParams(location.search);
const parameters = find(".fmp-work").dataset.parameters.split(" ");
const named = parameters.map((name) => address.get(name)).find(Boolean)?.slice(0, 300).replaceAll(" ", "+"); // a query string decodes it as a space
if (named) keepHere(KEPT.participant, named);
let participant = named || here(KEPT.participant) || "";
/* The ids of study and session in the same link: Prolific's names for them, then Mechanical Turk's. */
const LINK = { study: ["STUDY_ID", "hitId", "study"], session: ["SESSION_ID", "assignmentId", "session"] };
const link = {};
for (const [id, names] of Object.entries(LINK)) {
  const value = names.map((name) => address.get(name)).find(Boolean)?.slice(0, 300);
  if (named) keepHere(`${KEPT.participant}.${id}`, value || "");
  link[id] = value || here(`${KEPT.participant}.${id}`) || undefined;
}
const UNNAMED = { ...KEPT };
if (participant) Object.assign(KEPT, { guest: `${KEPT.guest}.${participant}`, sent: `${KEPT.sent}.${participant}`, draft: `${KEPT.draft}${participant}.` });
const guest = () => recall(KEPT.guest);
const ANSWERS = ["give", "test"];
const unthanked = () => recall(KEPT.sent); // { token, draft } of an answer that the server has not acknowledged yet

const work = {
  task: null, // { token, kind, language } while one is on the stage
  draft: null, // the name under which the fields of the form on the stage are stored
  language: null, // that of the task on the stage, whatever the page's language is now
  ahead: null, // the next task, prefetched: the server's reply, and the HTML in `parts`
  undo: null, // the id of the answer that an undo withdraws
  view: null, // the view on the stage: a kind, or "" for the start page
  count: 0,
  sent: null, // the pending request
  unsparing: false, // whether to ask for pairs whose target is not found yet
  wish: null, // where to go once that request is answered

  get form() { return find("form.fmp-task"); },
  /* Not before the page knows the open tab: visitors of other tabs need not be identified. */
  get open() { return Boolean(element.closest(".fmp-panel[role]:not([hidden])")); },
  get busy() { return Boolean(work.sent && !work.sent.quiet); },

  /* One request. `quiet` ones change nothing on the page, and any other one goes first. */
  press(action, more = {}, quiet = false) {
    if (work.busy || (quiet && work.sent)) return;
    clearTimeout(work.sent?.timer);
    const sent = { ...more, action, number: work.count += 1, guest: guest() };
    sent.language ??= (sent.kind === work.view && work.language) || stored(KEPT.language) || page.language;
    if (ANSWERS.includes(action)) store(KEPT.sent, JSON.stringify({ token: sent.token || sent.attempt, draft: work.draft }));
    if (action === "give" || action === "skip") sent.ahead = work.ahead?.token;
    if (action === "sit") sent.sent = unthanked().token;
    if (participant) Object.assign(sent, { participant, ...link });
    if (sent.kind === "results") sent.unblind = here(KEPT.unblind) === "yes";
    if (work.unsparing) sent.unsparing = true;
    work.sent = { what: sent, quiet, timer: setTimeout(work.lost, PATIENCE) };
    if (!quiet) {
      if (!sent.proof) alert.replaceChildren(); // the reason for a proof stays visible until it is answered
      supplied(element);
      stage.setAttribute("aria-busy", "true");
      if (action === "give") say("annotate.sending");
    }
    trigger("act", sent);
  },
  /* The identity of the annotator, for other parts of the page that send requests; and storing a new guest's id. */
  sender: () => ({ guest: guest(), ...(participant && { participant }) }),
  keepGuest: (id) => store(KEPT.guest, JSON.stringify({ ...guest(), id })),
  open_start: () => go(""),
  sit: (kind) => work.press("sit", { kind }),
  about: (task) => ({ kind: task.kind, language: task.language, token: task.token }),

  /* No answer came: everything stays as it is, and the same request can be sent again. */
  lost() {
    if (!work.sent) return;
    const { what, quiet } = ended();
    if (quiet) return;
    work.wish = null;
    complain("annotate.lost", {}, ["annotate.again", () => { const { action, number, guest: _, ...more } = what; work.press(action, more); }]);
  },
  complain,
  say,
};
page.work = work;

function ended() {
  const { what, quiet, timer } = work.sent;
  clearTimeout(timer);
  work.sent = null;
  if (!quiet) alert.replaceChildren();
  stage.setAttribute("aria-busy", "false");
  return { what, quiet };
}
function say(key, places) {
  if (key) page.write(line, key, places);
  else page.clear(line);
}
function complain(key, places, button) {
  const sentence = document.createElement("p");
  page.write(sentence, key, places);
  alert.replaceChildren(sentence);
  if (button) offer(...button);
  say("");
  alert.scrollIntoView({ block: "nearest" });
}
function offer(key, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "fmp-button";
  page.write(button, key);
  button.addEventListener("click", () => { alert.replaceChildren(); act(); });
  alert.append(button);
}

/* Drafts: the present fields of a form, under the name that the server gave to the view. */
function fields(form) {
  const read = {};
  for (const [name, value] of new FormData(form)) {
    if (name in read) read[name] = [read[name], value].flat();
    else read[name] = value;
  }
  return read;
}
function fill(form, fieldValues) {
  for (const control of form.elements) {
    if (!(control.name in fieldValues)) continue;
    const values = [fieldValues[control.name]].flat();
    if (control.type === "radio" || control.type === "checkbox") control.checked = values.includes(control.value);
    else [control.value] = values;
  }
  form.dispatchEvent(new Event("input", { bubbles: true }));
}
function keepDraft() {
  if (!work.draft || !work.form) return;
  const fieldValues = fields(work.form), name = KEPT.draft + work.draft;
  if (Object.values(fieldValues).some((value) => value.length)) store(name, JSON.stringify({ at: Date.now(), given: fieldValues }));
  else forget(name);
}
function draftOf(name) {
  return recall(KEPT.draft + name).given;
}
function forgetOldDrafts() {
  const age = (name) => recall(name).at || 0;
  namesLike(DRAFTS).sort((one, other) => age(other) - age(one)).slice(MAX_DRAFTS).forEach(forget);
}
/* After a deletion this browser stores nothing about the person, and the URL names nobody: the next answer is from a new guest. */
function forgetPerson() {
  const drafts = [...namesLike(KEPT.draft), ...Object.keys(memory)].filter((name) => name.startsWith(KEPT.draft) && !name.slice(KEPT.draft.length).includes(".")); // others' drafts have their id before another dot
  [...drafts, KEPT.guest, KEPT.sent, KEPT.language].forEach(forget);
  try { [KEPT.participant, ...Object.keys(LINK).map((id) => `${KEPT.participant}.${id}`), KEPT.unblind].forEach((name) => sessionStorage.removeItem(name)); } catch { /* nothing was stored */ }
  participant = "";
  Object.assign(KEPT, UNNAMED);
  const bare = new URL(location);
  [...parameters, ...Object.values(LINK).flat()].forEach((name) => bare.searchParams.delete(name));
  if (named) history.replaceState(null, "", bare);
}

/* The server's reply. */
function answered(answer) {
  if (!work.sent || answer?.number !== work.sent.what.number) return;
  const { what, quiet } = ended();
  if (answer.guest) work.keepGuest(answer.guest);
  const done = what.sent ? unthanked().draft : work.draft;
  if ((answer.kept || answer.skipped || answer.tested) && done) forget(KEPT.draft + done);
  /* After a server error, only a later visit shows whether the answer was stored. */
  if ((ANSWERS.includes(what.action) || what.sent) && answer.outcome !== "fault") forget(KEPT.sent);
  if (answer.forgotten) forgetPerson();
  if (answer.outcome === "shown") show(answer, what);
  else if (answer.outcome === "fetched" && work.ahead?.token === answer.token) show({ ...work.ahead, ...answer }, what);
  else if (answer.outcome === "fetched") work.sit(work.view);
  else if (answer.outcome === "ahead") keepAhead(answer, what);
  else if (answer.outcome === "refused") refused(answer, what, quiet);
  else if (answer.outcome === "fault" && !quiet) complain("annotate.fault", {}, work.view === null ? ["annotate.again", route] : undefined);
  const name = answer.is_guest && guest().name; // stored here by a guest, who may not be the person logged in
  if (answer.kept && name) say("annotate.thanks_by_name", { given: answer.given, name });
  else if (answer.kept) say("annotate.thanks", { given: answer.given });
  if ((answer.kept || answer.skipped) && answer.outcome === "told") offer("annotate.next", () => work.sit(work.view));
  document.dispatchEvent(new CustomEvent("fmp:answered", { detail: { answer, what } }));
  if (!quiet) carryOn(answer);
}
/* Go where the annotator chose to go before this was answered, but not past a message that they should read. */
function carryOn(answer) {
  const { wish } = work;
  if (wish === null || work.busy) return;
  work.wish = null;
  if (work.open && wish !== work.view && (answer.kept || !["refused", "fault"].includes(answer.outcome))) go(wish);
}
/* The terms on the stage and whether they are ticked: a page that comes again with the same terms keeps the tick. */
function terms() {
  return { read: find(".fmp-consent ul")?.textContent, box: find(".fmp-consent input[type=checkbox]") };
}
function show(answer, what) {
  const first = work.view === null, before = terms();
  if (answer.parts) {
    stage.replaceChildren(...answer.parts.childNodes);
    find(".fmp-far").innerHTML = answer.far;
  } else stage.innerHTML = answer.html;
  page.apply(stage);
  const now = terms();
  if (before.box?.checked && now.box) now.box.checked = before.read === now.read;
  work.view = answer.view;
  work.ahead = null;
  work.undo = answer.undo;
  work.draft = answer.draft;
  work.language = answer.language;
  work.task = answer.token ? { token: answer.token, kind: answer.view, language: answer.language } : null;
  if (work.place !== answer.view && work.open) go(answer.view, true);
  say("");
  if (answer.skipped) say("annotate.skipped");
  if (answer.undone) say("annotate.undone");
  if (answer.forgotten) say("annotate.delete_done");
  if (work.draft && work.form) {
    const draft = draftOf(work.draft), fieldValues = draft || answer.fields;
    if (fieldValues) fill(work.form, fieldValues);
    if (draft && !answer.undone) say("annotate.draft_back");
    forgetOldDrafts();
  }
  if (work.task) {
    work.renewed = Date.now();
    work.press("ahead", work.about(work.task), true);
  }
  document.dispatchEvent(new CustomEvent("fmp:stage"));
  if (!work.open || (first && what.action === "start")) return;
  stage.querySelector("h2")?.focus({ preventScroll: true });
  element.scrollIntoView({ block: "start" });
}
/* The next task waits outside the page, where its pictures are preloaded. */
function keepAhead(answer, what) {
  if (what.token !== work.task?.token) return;
  const parts = document.createElement("div");
  parts.innerHTML = answer.html;
  work.ahead = { ...answer, parts };
}
function refused(answer, what, quiet) {
  if (quiet) return;
  if (answer.code === "guest_unknown") forget(KEPT.guest);
  if (work.view === null && answer.code.startsWith("participant_")) stage.querySelector("p")?.remove(); // nothing opens
  alert.innerHTML = answer.html;
  page.apply(alert);
  const gone = ["task_unknown", "task_expired", "answer_changed_elsewhere", "answer_twice"].includes(answer.code);
  if (answer.code === "answer_twice" && what.token) offer("annotate.take_back", () => work.press("undo", { kind: what.kind, language: what.language, event: what.token }));
  if (gone && work.view) offer("annotate.next", () => work.sit(work.view));
  else if (["too_fast", "store_away", "store_busy", "guest_unknown"].includes(answer.code)) offer("annotate.again", () => { const { action, number, guest: _, ...more } = what; work.press(action, more); });
  say("");
  alert.scrollIntoView({ block: "nearest" });
  if (answer.code === "proof_needed") work.solve(answer.puzzle, (proof) => { const { action, number, guest: _, ...more } = what; work.press(action, { ...more, proof }); });
}
watch("value", () => answered(props.value));

/* The requested work is in the URL: #annotate, or #annotate/vote. */
Object.defineProperty(work, "place", { get: () => location.hash.slice(1).split("/")[1] || "" });
function go(place, silent = false) {
  const address = `#${place ? `${TAB}/${place}` : TAB}`;
  if (location.hash !== address) history[silent ? "replaceState" : "pushState"](null, "", address);
  if (!silent) route();
}
function route() {
  if (!work.open || work.busy) return;
  if (work.place) work.sit(work.place);
  else work.press("start");
}

/* Show what is missing at its place: `place` is a question, a field, or a label with its checkbox. */
let lacks = 0;
function lack(place, key, places) {
  const control = place.matches("input, textarea") ? place : place.querySelector("input");
  const label = place.matches("fieldset") ? place : place.closest("label"), existing = label.fmpLack;
  const sentence = existing || document.createElement("p");
  if (!existing) {
    label.fmpLack = sentence;
    sentence.className = "fmp-lack-said";
    sentence.id = `fmp-lack-${lacks += 1}`;
    sentence.setAttribute("role", "alert");
    if (label === place) label.querySelector("legend").after(sentence); else label.after(sentence);
    (label === place ? label : control).setAttribute("aria-describedby", sentence.id);
    label.classList.add("fmp-lacks");
  }
  page.write(sentence, key, places);
  say("");
  return control;
}
/* Remove the messages about missing parts within `root`, or at `root` itself. */
function supplied(root) {
  for (const label of [root.closest?.(".fmp-lacks"), ...root.querySelectorAll(".fmp-lacks")]) {
    if (!label) continue;
    label.fmpLack.remove();
    delete label.fmpLack;
    label.classList.remove("fmp-lacks");
    for (const one of [label, ...label.querySelectorAll("[aria-describedby^=fmp-lack-]")]) one.removeAttribute("aria-describedby");
  }
}
function needing(control) {
  control.focus({ preventScroll: true });
  (control.closest("fieldset, label") || control).scrollIntoView({ block: "center" });
}
element.addEventListener("input", ({ target }) => supplied(target));

/* Return what a form holds, or nothing after showing what is missing or no number within its bounds. */
function complete(form) {
  const given = fields(form), filled = ({ name }) => [given[name]].flat().join("").trim();
  const missing = [...form.querySelectorAll("[data-missing]")].filter((place) => {
    if (place.matches("textarea, input")) return !filled(place);
    const names = (selector) => new Set([...place.querySelectorAll(selector)].map((one) => one.name)).size;
    return names("input[type=radio]") > names("input:checked");
  });
  const outside = [...form.querySelectorAll("input[max]")].filter((place) => given[place.name] === place.value && !place.validity.valid);
  const [first] = [...missing.map((place) => lack(place, place.dataset.missing)), ...outside.map((place) => lack(place, "refused.number_outside", { least: place.min, most: place.max }))];
  if (first) needing(first);
  return first ? null : given;
}
function send(action) {
  const given = complete(work.form);
  if (!given) return;
  const about = work.task ? work.about(work.task) : { kind: work.view, attempt: work.form.dataset.attempt };
  work.press(action, { ...about, fields: given });
}

const places = { sit: (button) => button.dataset.kind, leave: () => "" };
const actions = {
  give: () => send("give"),
  test: () => send("test"),
  unspare: () => { work.unsparing = true; work.sit(work.view); },
  reveal: () => work.press("reveal", { kind: work.view, page_language: page.language }),
  undo: () => work.press("undo", { kind: work.view, event: work.undo }),
  tell: () => {
    const given = complete(find("form.fmp-about-you"));
    if (given) work.press("tell", { fields: given, page_language: page.language });
  },
  agree: (button) => {
    const box = find(".fmp-consent input[type=checkbox]");
    if (!box.checked) { needing(lack(box, "consent.missing")); return; }
    work.press("agree", { page_language: page.language, kind: button.dataset.kind || "" });
  },
};
work.actions = actions;

element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]"), action = button?.dataset.action;
  const consent = action === "sit" && !work.busy && find(".fmp-start .fmp-consent");
  if (consent) {
    /* An annotator who starts before agreeing is told what is missing, and continues to the chosen task after agreeing. */
    const agree = consent.querySelector("[data-action=agree]");
    agree.dataset.kind = button.dataset.kind;
    actions.agree(agree);
  } else if (action in places) {
    if (work.busy) work.wish = places[action](button);
    else go(places[action](button));
  } else if (action in actions) {
    event.preventDefault();
    if (!work.busy) actions[action](button);
    else if (action === "agree") document.addEventListener("fmp:answered", () => find("[data-action=agree]")?.click(), { once: true });
  }
});
element.addEventListener("submit", (event) => event.preventDefault());
element.addEventListener("input", (event) => {
  if (event.target.name === "fmp-guest-name") { store(KEPT.guest, JSON.stringify({ ...guest(), name: event.target.value.slice(0, 80) })); return; }
  if (!event.target.closest?.("form.fmp-task")) return;
  keepDraft();
  if (event.isTrusted && work.task && Date.now() - work.renewed > RENEWAL) {
    work.renewed = Date.now();
    work.press("renew", work.about(work.task), true);
  }
});
element.addEventListener("change", (event) => {
  const { name, value } = event.target;
  if (name !== "fmp-work-language") return;
  if (work.busy) { event.target.closest("fieldset").querySelectorAll("input").forEach((one) => { one.checked = one.defaultChecked; }); return; }
  store(KEPT.language, value);
  work.press(work.view ? "sit" : "start", { kind: work.view, language: value });
});
document.addEventListener("fmp:trouble", () => { if (work.busy) work.lost(); });
document.addEventListener("fmp:tab", () => { if (work.open && (work.view === null || work.place !== work.view)) route(); });
window.addEventListener("hashchange", () => { if (work.open && work.place !== work.view) route(); });
window.addEventListener("popstate", () => { if (work.open && work.place !== work.view) route(); });
window.addEventListener("offline", () => { if (work.open && work.task) say("annotate.offline"); });
window.addEventListener("online", () => { if (work.open && work.task) say(""); });
page.apply(element);
if (work.open) route();

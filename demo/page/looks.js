/* Attention of a word: a selected word shows its heat map over both photographs and its weights as dots on the skeleton. */
const HEAT = [[240, 228, 66], [213, 94, 0]]; // the upper half of the figures' colour ramp
const MAX_LEVEL = 35; // maximum level
const DOT = [0.5, 2.4]; // in widths of a bone: the radius of a joint without attention, and what the maximum level adds

const choosable = () => [...element.querySelectorAll("button.fmp-word")];
const levels = (digits) => [...digits].map((digit) => parseInt(digit, 36) / MAX_LEVEL);

function drawHeat(canvas, strengths) {
  const side = Math.sqrt(strengths.length) || 1, pixels = new ImageData(side, side);
  strengths.forEach((strength, index) => {
    const colour = HEAT[0].map((low, part) => low + (HEAT[1][part] - low) * strength);
    pixels.data.set([...colour, 225 * Math.sqrt(strength)], index * 4);
  });
  canvas.width = canvas.height = side;
  canvas.getContext("2d").putImageData(pixels, 0, 0);
}
function drawDots(drawing, strengths) {
  const unit = 0.0085 * Math.max(drawing.viewBox.baseVal.width, drawing.viewBox.baseVal.height);
  drawing.querySelectorAll("circle").forEach((dot, index) => {
    dot.style.setProperty("--r", `${(unit * (DOT[0] + DOT[1] * (strengths[index] || 0))).toFixed(1)}px`);
  });
}
const named = (keys) => {
  const texts = keys.map(page.inEach);
  return Object.fromEntries(Object.keys(texts[0]).map((code) => [code, texts.map((text) => text[code]).join(", ")]));
};

/* Words are plain text until the visitor asks to see single ones: buttons would break up each step for screen readers. */
function asButtons(wanted) {
  unlook();
  const press = element.querySelector("[data-action=words]");
  press?.setAttribute("aria-pressed", String(wanted));
  if (press) press.nextElementSibling.hidden = !wanted;
  element.querySelectorAll(".fmp-word[data-current]").forEach((word) => {
    const other = document.createElement(wanted ? "button" : "span");
    ["class", ...Object.keys(word.dataset).map((name) => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)].forEach((name) => other.setAttribute(name, word.getAttribute(name)));
    if (wanted) { other.type = "button"; other.setAttribute("aria-pressed", "false"); }
    page.write(other, "confidence.word", { level: page.inEach(`confidence.${word.dataset.level}`), percent: word.dataset.percent }, "title");
    other.textContent = word.textContent;
    word.replaceWith(other);
  });
  if (wanted) reach(choosable()[0]);
}

function look(word) {
  done?.rests(); // otherwise its next step would be highlighted instead of the word
  unlight();
  const card = element.querySelector(".fmp-joints"), stacks = card.querySelectorAll(".fmp-stack");
  unlook();
  word.setAttribute("aria-pressed", "true");
  [word.dataset.current, word.dataset.target].forEach((digits, index) => {
    const canvas = stacks[index].querySelector("canvas");
    if (canvas) drawHeat(canvas, levels(digits));
    drawDots(stacks[index].querySelector("svg"), levels(word.dataset.joints));
  });
  const lines = element.querySelectorAll(".fmp-looked [role=status] span");
  const sentences = [["looks.at", word.dataset.atPictures], ["looks.at_joints", word.dataset.atJoints]].filter(([, keys]) => keys);
  sentences.forEach(([key, keys], index) => page.write(lines[index], index ? key : "looks.at", { word: word.textContent, parts: named(keys.split(" ")) }));
  element.querySelector(".fmp-answer").classList.add("fmp-looking");
}
function unlook() {
  element.querySelector(".fmp-answer").classList.remove("fmp-looking");
  choosable().forEach((word) => word.setAttribute("aria-pressed", "false"));
  element.querySelectorAll(".fmp-looked [role=status] span").forEach(page.clear);
}

/* One word is in the tab order; the arrow keys move from it. */
function reach(word, focus = false) {
  choosable().forEach((one) => { one.tabIndex = one === word ? 0 : -1; });
  if (focus) word.focus();
}
const chosen = () => element.querySelector("button.fmp-word[aria-pressed=true]");

element.addEventListener("click", (event) => {
  const word = event.target.closest("button.fmp-word");
  if (word) { reach(word); if (word === chosen()) unlook(); else look(word); }
  const words = event.target.closest("[data-action=words]");
  if (words) asButtons(words.getAttribute("aria-pressed") === "false");
  if (event.target.closest("[data-action=unlook]")) { const before = chosen(); unlook(); before?.focus(); }
});
element.addEventListener("keydown", (event) => {
  const word = event.target.closest("button.fmp-word"), words = choosable(), at = words.indexOf(word);
  const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: words.length - 1 }[event.key];
  if (!word || next === undefined) return;
  event.preventDefault();
  if (!words[next]) return;
  reach(words[next], true);
  if (chosen()) look(words[next]);
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && chosen()) unlook(); });
function readyWords() {
  unlook();
  if (element.querySelector("button.fmp-word, [data-action=words][aria-pressed=true]")) asButtons(false); // of the previous answer
}

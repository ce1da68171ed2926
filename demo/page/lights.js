/* A step that is tapped lights its joints in both photographs and its bars in the chart. */
const lights = (step) => step.getAttribute("aria-pressed") === "true";

function light(step) {
  unlook();
  unlight();
  step.setAttribute("aria-pressed", "true");
  step.closest("li").classList.add("fmp-lit");
  const joints = new Set(step.dataset.joints.split(" ")), rows = new Set(step.dataset.rows.split(" "));
  element.querySelectorAll(".fmp-joints [data-joint]").forEach((mark) => mark.classList.toggle("fmp-lit", joints.has(mark.dataset.joint)));
  element.querySelectorAll(".fmp-chart [data-part]").forEach((row) => row.classList.toggle("fmp-lit", rows.has(row.dataset.part)));
  element.querySelector(".fmp-answer").classList.add("fmp-lighting");
}
function unlight() {
  element.querySelector(".fmp-answer").classList.remove("fmp-lighting");
  element.querySelectorAll(".fmp-lit").forEach((one) => one.classList.remove("fmp-lit"));
  element.querySelectorAll("[data-action=light]").forEach((step) => step.setAttribute("aria-pressed", "false"));
}

element.addEventListener("click", (event) => {
  if (event.target.closest("button.fmp-word")) return;
  const step = event.target.closest(".fmp-steps li")?.querySelector("[data-action=light]");
  if (!step) return;
  if (String(getSelection()) && !event.target.closest("[data-action=light]")) return; // who marks the text to copy it does not mean the step; its button is always meant
  if (lights(step)) unlight();
  else light(step);
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") unlight(); });

/* Summary of an exercise: when each pose was reached, how far each part of the body was from it, and the best moment. */
const ROWS = ["arms", "legs", "trunk", "head"];
const one = (value) => Math.round(value * 10) / 10;

/* `courses` as sent by the server, with the number of their goal; whether the server `answered`. */
function showSummary(courses, mine, answered) {
  const { goals, bests, reached } = mine;
  const result = find(".fmp-live-result"), total = goals.length, course = courses.find(({ seconds }) => seconds !== null);
  if (!answered) page.write(result, "live.no_course");
  else if (!courses.length) page.write(result, "live.nothing_seen");
  else if (total > 1) page.write(result, "live.result", { reached: reached.size, of: total });
  else if (course) page.write(result, "live.result_one", { seconds: one(course.seconds) });
  else page.write(result, "live.result_none");
  find(".fmp-live-plots > div").replaceChildren(...courses.map((each) => plotted(each, goals)));
  find(".fmp-live-bests > div").replaceChildren(...bests.map((best, number) => bestPicture(best, number, goals)).filter(Boolean));
  find(".fmp-live-plots").hidden = !courses.length;
  find(".fmp-live-bests").hidden = !bests.some(Boolean);
  showCard(mine);
}
function captioned(number, goals, node, seconds) {
  const box = document.createElement("div");
  if (goals.length > 1) {
    const title = box.appendChild(document.createElement("p"));
    page.write(title.appendChild(document.createElement("strong")), "live.goal_of", { number: number + 1, of: goals.length, name: goals[number].name });
    if (seconds != null) { title.append(" "); page.write(title.appendChild(document.createElement("span")), "live.result_one", { seconds: one(seconds) }); }
  }
  box.append(...[node].flat());
  return box;
}
function plotted({ goal, times, rows, seconds }, goals) {
  const WIDE = 520, HIGH = 200, LEFT = 74, LOW = 28, TOP = 12, svg = drawn("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", class: "fmp-live-plot" });
  const last = Math.max(times.at(-1), 1), most = Math.max(10, ...ROWS.flatMap((row) => rows[row]));
  const x = (at) => LEFT + ((WIDE - LEFT - 12) * (at - times[0])) / Math.max(last - times[0], 0.5), y = (far) => HIGH - LOW - ((HIGH - LOW - TOP) * far) / most;
  const latest = Object.fromEntries(ROWS.map((row) => [row, Math.round(rows[row].at(-1))]));
  page.write(svg, "live.plot_alt", { seconds: Math.round(last - times[0]), ...latest }, "aria-label");
  for (const share of [0, 0.5, 1]) {
    svg.append(drawn("path", { d: `M${LEFT} ${y(most * share)}H${WIDE - 12}`, class: "fmp-live-grid" }));
    page.write(svg.appendChild(drawn("text", { x: LEFT - 6, y: y(most * share) + 4, "text-anchor": "end" })), "live.plot_centimetres", { centimetres: Math.round(most * share) });
  }
  page.write(svg.appendChild(drawn("text", { x: WIDE - 12, y: HIGH - 6, "text-anchor": "end" })), "live.plot_seconds", { seconds: Math.round(last - times[0]) });
  ROWS.forEach((row, index) => svg.append(drawn("path", { d: rows[row].map((far, at) => `${at ? "L" : "M"}${x(times[at]).toFixed(1)} ${y(far).toFixed(1)}`).join(""), class: `fmp-live-row-${index + 1}` })));
  return captioned(goal, goals, svg, seconds);
}
function drawn(tag, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
  return node;
}

/* The picture with its skeleton, to view and to save; it left the device only as one of the frames, if at all. */
function bestPicture(best, number, goals) {
  if (!best) return null;
  const { advice } = best, composite = pictured(best), save = document.createElement("button");
  composite.setAttribute("role", "img");
  page.write(composite, "live.best_alt", { centimetres: Math.round(far(advice) / Object.keys(advice.distances).length) }, "aria-label");
  save.type = "button";
  save.className = "fmp-button";
  save.dataset.action = "save-best";
  page.write(save.appendChild(document.createElement("span")), "live.save_best");
  return captioned(number, goals, [composite, save]);
}
async function saveBest(button) {
  page.save(await asJpeg(button.parentElement.querySelector("canvas"), 0.92), "fixmypose-best.jpg");
}

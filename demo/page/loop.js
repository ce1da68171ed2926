/* "You -> goal" in five seconds: the figure moves from the current pose to the goal while the first steps are shown. The page draws the pictures, and the server encodes an animated WebP file, which Safari's canvas cannot. */
const loopOf = (() => {
  const WIDE = 640, HIGH = 800, FOOT = 56, TOP = 140, SMALL = 196, CAPTION = 118, EDGE = 16; // pixels
  const STAGE = HIGH - FOOT - CAPTION - TOP; // pixels: height of the figure's area
  const FIRST = 600, LAST = 1000, MOVING = 50, ONE = 68; // milliseconds of the first and the last pose, number of moving pictures, and milliseconds of each: five seconds
  const CAPTIONS = 3, NEAR = 0.03; // metres: within it every joint is on the goal
  const QUALITY = 0.86;
  const { minus, length, between } = bodyMotion;
  const furthest = (from, to) => Math.max(...to.map((joint, index) => length(minus(joint, from[index]))));
  const eased = (share) => share * share * (3 - 2 * share);

  /* The moves from pose to pose: those of the first steps of the text, each with its words, then the rest of the way to the goal. */
  function ways(body, lines) {
    const told = body.steps.filter(({ words }) => words).slice(0, CAPTIONS), goal = body.target || body.poses.at(-1);
    const made = told.map(({ from, to, text, lit, words }) => ({ from: body.poses[from], to: body.poses[to], text, lit, mark: markOf(lines, words) }));
    const reached = made.at(-1)?.to || body.poses[0], left = furthest(reached, goal);
    if (left > NEAR || !made.length) made.push({ from: reached, to: goal, text: "", lit: [], mark: "" });
    else made.at(-1).to = goal;
    const weights = made.map(({ from, to }) => Math.min(900 + 900 * furthest(from, to), 2100)), all = weights.reduce((sum, one) => sum + one, 0);
    let before = 0;
    return made.map((way, index) => {
      const start = Math.round(MOVING * before / all);
      before += weights[index];
      return { ...way, at: between(body, way.from, way.to), pictures: Math.round(MOVING * before / all) - start };
    });
  }
  /* Every picture of the loop: the pose, its duration and its text. */
  function pictures(body, lines) {
    const moving = ways(body, lines).flatMap((way) => Array.from({ length: way.pictures }, (_, index) => ({ ...way, pose: way.at(eased((index + 1) / way.pictures)), milliseconds: ONE })));
    Object.assign(moving.at(-1), { milliseconds: ONE + LAST, text: page.say("figures.target"), mark: "", lit: [] });
    return [{ pose: body.poses[0], milliseconds: FIRST, text: page.say("figures.current"), mark: "", lit: [] }, ...moving];
  }

  /* What all pictures share: both photographs in the corners, and the footer. */
  async function ground(answer, faceless, address) {
    const [canvas, context] = sheet(WIDE, HIGH), small = await Promise.all(stacks(answer).map((stack) => pictured(stack, faceless)));
    context.fillStyle = PAINT.paper;
    context.fillRect(0, 0, WIDE, HIGH);
    context.imageSmoothingQuality = "high";
    small.forEach((picture, index) => {
      const scale = Math.min(SMALL / picture.height, WIDE * 0.32 / picture.width), [width, height] = [picture.width * scale, picture.height * scale], x = index ? WIDE - EDGE - width : EDGE;
      rounded(context, picture, x, EDGE, width, height, 10);
      lettered(context, 19, 650);
      context.fillStyle = PAINT.ink;
      context.textAlign = index ? "right" : "left";
      context.fillText(page.say(`figures.${index ? "target" : "current"}`), index ? WIDE - EDGE : EDGE, EDGE + height + 24);
    });
    context.textAlign = "left";
    footer(context, 0, HIGH - FOOT, WIDE, FOOT, address);
    return canvas;
  }
  function caption(context, { text, mark }) {
    const top = HIGH - FOOT - CAPTION, free = WIDE - 2 * EDGE - (mark ? 58 : 0);
    let size = 30, lines = [];
    do { size -= 1; lettered(context, size, 600); lines = wrapped(context, text, free); } while (size > 15 && lines.length * size * 1.32 > CAPTION - 14);
    const high = size * 1.32, y = top + (CAPTION - lines.length * high) / 2, wide = Math.max(...lines.map((line) => context.measureText(line).width)), x = (WIDE - wide - (mark ? 58 : 0)) / 2;
    context.fillStyle = PAINT.ink;
    lines.forEach((line, index) => context.fillText(line, x + (mark ? 58 : 0), y + high * index + size, free));
    if (mark) disc(context, x + 22, top + CAPTION / 2, 21, PAINT.accent, mark);
  }

  /* The request body: each picture as its milliseconds (2 bytes), its length (4 bytes) and a JPEG file. `progress` receives the fraction that is drawn. */
  async function drawn(answer, faceless, address, progress, signal) {
    const body = played(answer), place = document.createElement("div"), figureCanvas = document.createElement("canvas"), [canvas, context] = sheet(WIDE, HIGH);
    const under = await ground(answer, faceless, address), all = pictures(body, numbered(answer)), parts = [];
    place.className = "fmp-light-figure";
    place.append(figureCanvas);
    document.body.append(place);
    try {
      const figure = movingFigure(figureCanvas, { width: WIDE, height: STAGE, ratio: 1.3 });
      figure.show(body, body.poses, body.target);
      for (const [index, picture] of all.entries()) {
        signal.throwIfAborted();
        figure.draw(picture.pose, { lit: new Set(picture.lit), letters: { left: page.say("done.letter_left"), right: page.say("done.letter_right") } });
        context.drawImage(under, 0, 0);
        context.drawImage(figureCanvas, 0, TOP);
        if (picture.text) caption(context, picture);
        const file = await new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY)), before = new DataView(new ArrayBuffer(6));
        before.setUint16(0, picture.milliseconds);
        before.setUint32(2, file.size);
        parts.push(before.buffer, file);
        progress((index + 1) / all.length);
      }
    } finally { place.remove(); }
    return new Blob(parts);
  }

  /* The file; throws an error with its sentence in every language. */
  return async (answer, faceless, address, progress, signal) => {
    const body = await drawn(answer, faceless, address, progress, signal);
    progress(null);
    const response = await fetch(new URL("share/loop", document.baseURI), { method: "POST", body, signal });
    if (response.ok) return new File([await response.blob()], "fixmypose.webp", { type: "image/webp" });
    throw Object.assign(new Error(String(response.status)), { text: (await response.json().catch(() => ({}))).text });
  };
})();

let loopMaking = null, loopMade = null; // aborts the making of a loop, and the last loop made
function loopShows(answer, { making = false, made = false } = {}) {
  const row = answer.querySelector(".fmp-loop-made"), button = answer.querySelector("[data-action=loop]");
  row.hidden = !(making || made);
  row.querySelector("progress").hidden = !making;
  row.querySelector("[data-action=share-loop]").hidden = !made;
  page.write(button.querySelector("span"), making ? "share.loop_cancel" : "share.loop");
}
async function makeLoop(answer) {
  if (loopMaking) { loopMaking.abort(); return; }
  if (!played(answer)) { say("share.loop_nothing"); return; }
  const mine = loopMaking = new AbortController(), count = blurredFaces(answer), bar = answer.querySelector(".fmp-loop-made progress");
  bar.value = 0;
  loopShows(answer, { making: true });
  say("share.loop_making");
  const progress = (share) => { if (share === null) bar.removeAttribute("value"); else bar.value = share; };
  try {
    loopMade = await loopOf(answer, isFaceless(answer), sharedAddress(answer), progress, mine.signal);
    page.save(loopMade, loopMade.name);
    loopShows(answer, { made: Boolean(navigator.share) && shareable(loopMade) });
    say(count ? "share.loop_saved_faceless" : "share.loop_saved", { count });
  } catch (error) {
    if (!answer.isConnected) return; // another answer has arrived
    loopShows(answer);
    say(mine.signal.aborted ? "share.loop_cancelled" : error.text || "share.loop_failed");
  } finally { if (loopMaking === mine) loopMaking = null; }
}
element.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-action=loop], [data-action=share-loop]"), answer = button?.closest(".fmp-answer");
  if (button?.dataset.action === "loop") makeLoop(answer);
  if (button?.dataset.action === "share-loop" && !await handOn({ files: [loopMade], text: `FixMyPose: ${sharedAddress(answer)}` })) say("share.loop_unshared");
});
/* Stop the making of a loop if its answer is gone. */
const endLoop = () => loopMaking?.abort();
watch("value", endLoop);
for (const shown of ["fmp:again", "fmp:example"]) document.addEventListener(shown, endLoop);

/* The card of an exercise to save or share: the best picture with its skeleton, the poses reached and the time. It is made on this device. */
const CARD_WIDTH = 1080, CARD_HEIGHT = 1350, EDGE = 60; // pixels
const cardBox = find(".fmp-live-card"), cardCanvas = cardBox.querySelector("canvas");
let carded = null; // the exercise on the card

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.round(seconds) % 60).padStart(2, "0")}`;
/* The text of the card in the page's language: its title and its lines. */
function cardWords({ title, goals, each, reached, seconds }) {
  const rounds = Math.round(goals.length / each), done = goals.length > 1 ? ["live.result", { reached: reached.size, of: goals.length }] : [reached.size ? "live.card_reached" : "live.card_tried"];
  return { title: page.say(title), lines: [page.say(...done), ...(rounds > 1 ? [page.say("live.card_rounds", { rounds })] : []), page.say("live.card_time", { time: clock(seconds) })] };
}
function showCard(mine) {
  const best = mine.bests.filter(Boolean).sort((one, other) => far(one.advice) - far(other.advice))[0];
  carded = best ? { mine, best } : null;
  cardBox.hidden = !carded;
  press("share-card").hidden = !navigator.canShare?.({ files: [new File([""], "card.jpg", { type: "image/jpeg" })] });
  drawCard();
}
function drawCard() {
  if (!carded) return;
  const { mine, best } = carded, { title, lines } = cardWords(mine), context = cardCanvas.getContext("2d");
  Object.assign(cardCanvas, { width: CARD_WIDTH, height: CARD_HEIGHT });
  const font = (size, weight) => { context.font = `${weight} ${size}px system-ui, "Noto Sans", "Noto Sans Devanagari", sans-serif`; };
  const write = (text, size, weight, colour, y) => {
    context.fillStyle = colour;
    for (let smaller = size; ; smaller -= 2) {
      font(smaller, weight);
      if (context.measureText(text).width <= CARD_WIDTH - 2 * EDGE || smaller < 20) break;
    }
    context.fillText(text, EDGE, y, CARD_WIDTH - 2 * EDGE);
  };
  context.fillStyle = "#fffefb";
  context.fillRect(0, 0, CARD_WIDTH, CARD_HEIGHT);
  write(title, 68, 750, "#0b5a63", 112);
  const high = 870, wide = CARD_WIDTH - 2 * EDGE, picture = pictured(best, cardBox.querySelector("[name=fmp-live-faceless]").checked);
  const scale = Math.min(wide / picture.width, high / picture.height), across = picture.width * scale, down = picture.height * scale;
  context.fillStyle = "#e0eeee";
  context.fillRect(EDGE, 150, wide, high);
  context.drawImage(picture, EDGE + (wide - across) / 2, 150 + (high - down) / 2, across, down);
  lines.forEach((line, at) => write(line, at ? 44 : 54, at ? 500 : 700, "#1b2a2e", 1100 + 66 * at));
  write(["FixMyPose", ...(/^(localhost|127\.|\[)/.test(location.host) ? [] : [location.host])].join(" · "), 30, 500, "#4d5f64", CARD_HEIGHT - 44);
  cardCanvas.setAttribute("aria-label", [title, ...lines].join(" · "));
}
/* A best moment with its skeleton, on a canvas as large as the frame. The face is that of the tracked person. */
function pictured({ canvas, advice }, faceless = false) {
  const picture = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height }), context = picture.getContext("2d");
  context.drawImage(canvas, 0, 0);
  if (faceless) blurFace(context, headOf(advice.joints.map(([x, y]) => [(x / 1000) * canvas.width, (y / 1000) * canvas.height]), canvas));
  drawOver(context, canvas.width, canvas.height, { ...advice, ghost: null });
  return picture;
}
/* Share a file through the device; if that is not possible, save it. */
async function shareFile(file, text) {
  try { return await navigator.share({ files: [file], text }); } catch (error) { if (error.name !== "AbortError") page.save(file, file.name); }
}
const cardFile = () => new Promise((done) => cardCanvas.toBlob((blob) => done(new File([blob], "fixmypose-card.jpg", { type: "image/jpeg" })), "image/jpeg", 0.92));
const cardActions = {
  "save-card": async () => { const file = await cardFile(); page.save(file, file.name); },
  "share-card": async () => shareFile(await cardFile(), cardCanvas.getAttribute("aria-label")),
};
cardBox.addEventListener("change", drawCard);
document.addEventListener("fmp:language", drawCard);

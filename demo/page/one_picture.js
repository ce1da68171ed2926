/* The answer as one picture to save or share: both photographs with skeletons, arrows to the goal, a legend, and the steps below. Nothing is sent for it. */
const PICTURE = { width: 1080, edge: 40, gap: 24, high: 760, footer: 84 }; // pixels; `high` is the maximum height of the photographs
const SIZES = [[44, 1350], [40, 1350], [36, 1920], [33, 1920], [30, 1920], [27, 1920], [24, Infinity]]; // pixels: the font size of the steps, and the maximum height of the picture with it
const PAINT = { ink: "#1b2a2e", soft: "#4d5f64", paper: "#fffefb", line: "#d9d3c7", accent: "#0b5a63", left: "#0e6871", right: "#6d47a0" };
const MAX_ARROWS = 4, MIN_WAY = 0.12; // metres in the picture plane: minimum distance that a joint moves
const LIMBS = [/^left_(elbow|wrist|hand)$/, /^right_(elbow|wrist|hand)$/, /^left_(knee|ankle|foot)$/, /^right_(knee|ankle|foot)$/, /^(hip|spine|neck|head)$/];

const loaded = (address) => new Promise((done, fail) => {
  const image = new Image();
  image.onload = () => done(image);
  image.onerror = fail;
  image.src = address;
});
const drawn = (svg, { width, height }) => {
  const copy = svg.cloneNode(true);
  for (const [name, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", width, height })) copy.setAttribute(name, value);
  return loaded(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(copy.outerHTML)}`);
};
const lettered = (context, size, weight = 400) => { context.font = `${weight} ${size}px system-ui, "Noto Sans", "Noto Sans Devanagari", sans-serif`; };
function sheet(width, height) {
  const canvas = document.createElement("canvas");
  return [Object.assign(canvas, { width, height }), canvas.getContext("2d")];
}

/* The position of a joint in the drawing. */
function jointAt(svg, joint) {
  const dot = svg.querySelector(`circle[data-joint="${joint}"]`);
  return [Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy"))];
}
/* The head of the measured person, and of all other people found. Answers stored before other heads were recorded have none. */
function heads(stack) {
  const svg = stack.querySelector("svg"), joints = Object.fromEntries([NECK, HEAD, ...SHOULDERS].map((joint) => [joint, jointAt(svg, joint)]));
  return [headOf(joints, svg.viewBox.baseVal), ...JSON.parse(stack.dataset.heads || "[]").map(([x, y, radius]) => ({ x, y, radius }))];
}
const isFaceless = (answer) => Boolean(answer.querySelector("[name=fmp-faceless]")?.checked);
const blurredFaces = (answer) => (isFaceless(answer) ? stacks(answer).flatMap(heads).length : 0);

/* A photograph with its skeleton, in the pixels of the drawing. */
async function pictured(stack, faceless) {
  const svg = stack.querySelector("svg"), { width, height } = svg.viewBox.baseVal, [canvas, context] = sheet(width, height);
  context.drawImage(await loaded(stack.querySelector("img").src), 0, 0, width, height);
  if (faceless) for (const one of heads(stack)) blurFace(context, one);
  context.drawImage(await drawn(svg, { width, height }), 0, 0);
  return canvas;
}
function wrapped(context, text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (context.measureText(longer).width > width && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
/* A disc with a letter or a number in it. */
function disc(context, x, y, radius, colour, text) {
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.fillStyle = colour;
  context.fill();
  context.lineWidth = radius / 7;
  context.strokeStyle = PAINT.paper;
  context.stroke();
  context.fillStyle = "#fff";
  lettered(context, radius * 1.1, 700);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, x, y + radius * 0.06);
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
}
/* The footer of a saved picture: the name of the app and its URL. */
function footer(context, left, top, width, height, address) {
  context.fillStyle = PAINT.accent;
  context.fillRect(left, top, width, height);
  context.fillStyle = "#fff";
  context.textBaseline = "middle";
  lettered(context, height * 0.42, 750);
  context.fillText("FixMyPose", left + height * 0.45, top + height / 2);
  const free = width - context.measureText("FixMyPose").width - height * 1.4;
  let size = height * 0.34;
  do lettered(context, size -= 1); while (context.measureText(address).width > free && size > height * 0.2);
  context.textAlign = "right";
  context.fillText(address.replace(/^https?:\/\/|\/$/g, ""), left + width - height * 0.45, top + height / 2, free);
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
}

const stacks = (answer) => [...answer.querySelectorAll(".fmp-joints .fmp-figure > .fmp-stack")];
/* A picture with rounded corners. */
function rounded(context, picture, x, y, width, height, radius) {
  context.save();
  context.beginPath();
  context.roundRect(x, y, width, height, radius);
  context.clip();
  context.drawImage(picture, x, y, width, height);
  context.restore();
}
const played = (answer) => JSON.parse(answer.querySelector(".fmp-see")?.dataset.played || "null"); // in the language shown

/* The steps with their marks: a number, `+` for fine tuning, or nothing for a sentence that is no step. */
function numbered(answer) {
  let number = 0;
  const found = [...answer.querySelectorAll(".fmp-step")].map((step) => {
    const aside = step.closest(".fmp-aside"), [first, last] = (step.closest("[data-words]")?.dataset.words || "").split(" ").map(Number);
    return { mark: aside ? (aside.matches(".fmp-fine") ? "+" : "") : String(number += 1), text: step.textContent.trim().replace(/\s+/g, " "), first, last };
  });
  return found.length ? found : [{ mark: "", text: answer.dataset.text }];
}

/* The mark of the step that has some of these words. */
const markOf = (lines, words) => (words && lines.find(({ first, last }) => first < words[1] && words[0] < last)?.mark) || "";

/* Arrows over the current photograph: for each limb the joint that certainly moves furthest, vertically relative to the floor and sideways relative to the hips. */
function arrows(answer) {
  const body = played(answer), svgs = stacks(answer).map((stack) => stack.querySelector("svg"));
  if (!body?.target) return [];
  const from = body.joints.map((_, joint) => jointAt(svgs[0], joint)), metres = body.poses[0], lines = numbered(answer);
  const spread = (points) => {
    const middle = [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);
    return Math.hypot(...points.flatMap((point) => [point[0] - middle[0], point[1] - middle[1]]));
  };
  const scale = spread(from) / spread(metres), isSure = (joint) => svgs.every((svg) => !svg.querySelector(`line[data-joint="${joint}"][stroke-dasharray]`));
  const hip = body.joints.indexOf("hip"), aside = body.target[hip][0] - metres[hip][0];
  const ways = body.joints.map((name, joint) => ({ name, joint, way: [body.target[joint][0] - metres[joint][0] - aside, body.target[joint][1] - metres[joint][1]] })).filter(({ joint, way }) => Math.hypot(...way) > MIN_WAY && isSure(joint));
  return LIMBS.flatMap((limb) => ways.filter(({ name }) => limb.test(name)).sort((one, other) => Math.hypot(...other.way) - Math.hypot(...one.way)).slice(0, 1))
    .sort((one, other) => Math.hypot(...other.way) - Math.hypot(...one.way)).slice(0, MAX_ARROWS)
    .map(({ name, joint, way }) => {
      const moved = ({ from: before, to }) => Math.hypot(...body.poses[to][joint].map((place, axis) => place - body.poses[before][joint][axis]));
      const { words } = body.steps.filter((step) => step.words).sort((one, other) => moved(other) - moved(one))[0] || {};
      return { start: from[joint], end: from[joint].map((place, axis) => place + scale * way[axis]), side: /^left/.test(name) ? "left" : /^right/.test(name) ? "right" : null, mark: markOf(lines, words) };
    });
}
/* `size` is the radius of its discs; an arrow that would leave the photograph ends at its edge. */
function drawArrow(context, { start, end, side, mark }, size) {
  const { width, height } = context.canvas, edge = size * 1.6, way = [end[0] - start[0], end[1] - start[1]];
  const share = Math.min(1, ...way.map((part, axis) => (part > 0 ? [width, height][axis] - edge - start[axis] : start[axis] - edge) / Math.max(Math.abs(part), 1e-6)));
  const long = Math.hypot(...way) * share, along = Math.atan2(way[1], way[0]), tip = start.map((place, axis) => place + way[axis] * share);
  if (long > size * 2) {
    const neck = tip.map((place, axis) => place - [Math.cos(along), Math.sin(along)][axis] * size * 1.1);
    for (const [colour, wide] of [[PAINT.paper, 0.75], [PAINT.ink, 0.38]]) {
      context.strokeStyle = context.fillStyle = colour;
      context.lineWidth = size * wide;
      context.lineCap = context.lineJoin = "round";
      context.beginPath();
      context.moveTo(...start);
      context.lineTo(...neck);
      context.stroke();
      context.beginPath();
      [0, 2.5, -2.5].forEach((turn, index) => context[index ? "lineTo" : "moveTo"](tip[0] + Math.cos(along + turn) * size * (index ? 1.5 : 0), tip[1] + Math.sin(along + turn) * size * (index ? 1.5 : 0)));
      context.closePath();
      context.fill();
      context.lineWidth = size * (wide - 0.36);
      if (colour === PAINT.paper) context.stroke();
    }
    const off = long < size * 6 ? size * 1.9 : 0; // beside an arrow that it would cover
    if (mark) disc(context, ...start.map((place, axis) => place + way[axis] * share * 0.5 + [-Math.sin(along), Math.cos(along)][axis] * off), size, PAINT.ink, mark);
  }
  const beside = start.map((place, axis) => Math.min(Math.max(place - [Math.cos(along), Math.sin(along)][axis] * size * 1.5, size), [width, height][axis] - size));
  if (side) disc(context, ...beside, size, PAINT[side], page.say(`done.letter_${side}`));
}

/* The photographs side by side, or stacked if both are wide: each with its position. */
function arranged(pictures) {
  const { width, edge, gap, high } = PICTURE, free = width - 2 * edge, aspects = pictures.map((picture) => picture.width / picture.height), sum = aspects.reduce((all, one) => all + one, 0);
  const row = sum <= 2.6, tall = row ? Math.min(high, (free - gap) / sum) : Math.min(high * 0.7, free / Math.max(...aspects));
  let x = edge + (row ? (free - gap - tall * sum) / 2 : 0), y = edge;
  return pictures.map((picture, index) => {
    const place = { picture, x: row ? x : edge + (free - tall * aspects[index]) / 2, y, width: tall * aspects[index], height: tall };
    if (row) x += place.width + gap;
    else y += tall + 64;
    return place;
  });
}

/* The legend, in lines that fill the width: `[text, width of the sample before it, how that is drawn]`. */
function legend(context, answer, y, hasArrows) {
  const { width, edge } = PICTURE, ramp = answer.querySelector(".fmp-moves-legend .fmp-ramp"), high = 42;
  if (!ramp) return y;
  const line = (dashes) => (x, middle) => {
    context.setLineDash(dashes);
    context.lineWidth = 7;
    context.lineCap = "round";
    context.strokeStyle = PAINT.ink;
    context.beginPath();
    context.moveTo(x + 4, middle);
    context.lineTo(x + 54, middle);
    context.stroke();
    context.setLineDash([]);
  };
  const colours = ramp.style.background.match(/rgb\([^)]*\)/g), texts = [...answer.querySelectorAll(".fmp-moves-legend > span:first-child, .fmp-moves-legend .fmp-scale > span:not(.fmp-ramp)")].map((span) => span.textContent);
  const samples = [
    [`${texts[0]}: ${texts[1]}`, 0, null],
    [texts[2], 120, (x, middle) => {
      const paint = context.createLinearGradient(x, 0, x + 108, 0);
      colours.forEach((colour, index) => paint.addColorStop(index / (colours.length - 1), colour));
      context.fillStyle = paint;
      context.beginPath();
      context.roundRect(x, middle - 10, 108, 20, 10);
      context.fill();
    }],
    [page.say("figures.legend_hidden"), 68, line([5, 15])],
    ...(hasArrows ? [[page.say("share.legend_arrows"), 68, (x, middle) => { line([])(x, middle); context.fillStyle = PAINT.ink; context.beginPath(); context.moveTo(x + 58, middle); context.lineTo(x + 42, middle - 13); context.lineTo(x + 42, middle + 13); context.fill(); }]] : []),
  ];
  lettered(context, 25);
  let x = edge;
  for (const [text, wide, draw] of samples) {
    const needs = wide + context.measureText(text).width;
    if (x > edge && x + needs > width - edge) { x = edge; y += high; }
    draw?.(x, y + high / 2 - 8);
    context.fillStyle = PAINT.soft;
    context.fillText(text, x + wide, y + high / 2, width - 2 * edge - wide);
    x += needs + (draw || wide ? 32 : 12);
  }
  return y + high + 12;
}

/* The steps at one font size; if `paint` is false nothing is drawn, and only their height is returned. */
function steps(context, lines, top, size, paint = true) {
  const { width, edge } = PICTURE, high = Math.round(size * 1.38), indent = size * 1.75, hasMarks = lines.some(({ mark }) => mark);
  let y = top;
  for (const { mark, text } of lines) {
    const left = edge + (hasMarks ? indent : 0);
    lettered(context, size);
    const rows = wrapped(context, text, width - edge - left);
    if (paint) {
      context.fillStyle = mark || !hasMarks ? PAINT.ink : PAINT.soft;
      rows.forEach((row, index) => context.fillText(row, left, y + high * index + size, width - edge - left));
      if (mark) disc(context, edge + size * 0.66, y + size * 0.66, size * 0.66, PAINT.accent, mark);
      else if (hasMarks) { context.beginPath(); context.arc(edge + size * 0.66, y + size * 0.66, size * 0.18, 0, 7); context.fill(); }
    }
    y += high * rows.length + size * 0.45;
  }
  return y;
}

async function onePicture(answer, faceless, address) {
  const pictures = await Promise.all(stacks(answer).map((stack) => pictured(stack, faceless))), ways = arrows(answer);
  const names = [...answer.querySelectorAll(".fmp-joints figcaption")].map((caption) => caption.textContent), places = arranged(pictures), lines = numbered(answer);
  for (const way of ways) drawArrow(pictures[0].getContext("2d"), way, Math.max(...["width", "height"].map((side) => pictures[0][side])) / 42);
  const [canvas, context] = sheet(PICTURE.width, 1), below = Math.max(...places.map(({ y, height }) => y + height)) + 76;
  const top = legend(context, answer, below, ways.length) + 12;
  const fits = (size) => steps(context, lines, top, size, false) + PICTURE.gap + PICTURE.footer, [size] = SIZES.find(([letters, tall]) => fits(letters) <= tall);
  canvas.height = Math.ceil(fits(size)); // this clears the canvas
  context.fillStyle = PAINT.paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  places.forEach(({ picture, x, y, width, height }, index) => {
    rounded(context, picture, x, y, width, height, 18);
    context.fillStyle = PAINT.ink;
    lettered(context, 30, 650);
    context.fillText(names[index], x, y + height + 44, width);
  });
  legend(context, answer, below, ways.length);
  context.fillStyle = PAINT.line;
  context.fillRect(PICTURE.edge, top - 18, PICTURE.width - 2 * PICTURE.edge, 2);
  steps(context, lines, top, size);
  footer(context, 0, canvas.height - PICTURE.footer, PICTURE.width, PICTURE.footer, address);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
}

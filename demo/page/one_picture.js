/* The answer as one picture to keep or share: both photographs with their skeletons, and the steps below. Nothing is sent for it. */
const WIDE = 1200, GAP = 24, LINE = 40; // pixels
const MOSAIC = 6; // squares across a face: nobody is known by so few

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

/* Where the head is in the drawing, and how large: by the way to the neck, the width of the shoulders, and never tiny. */
function head(svg) {
  const at = (joint) => { const dot = svg.querySelector(`circle[data-joint="${joint}"]`); return [Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy"))]; };
  const [neck, crown, right, left] = [2, 3, 4, 8].map(at), apart = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1]);
  const { width, height } = svg.viewBox.baseVal;
  return { x: crown[0], y: crown[1], radius: Math.max(1.4 * apart(neck, crown), 0.55 * apart(left, right), 0.06 * Math.max(width, height)) };
}
function blurFace(context, { x, y, radius }) {
  const small = document.createElement("canvas");
  small.width = small.height = MOSAIC;
  const squares = small.getContext("2d");
  squares.fillStyle = "#888"; // beyond the edge of the photograph too, or the face would shine through there
  squares.fillRect(0, 0, MOSAIC, MOSAIC);
  squares.drawImage(context.canvas, x - radius, y - radius, 2 * radius, 2 * radius, 0, 0, MOSAIC, MOSAIC);
  context.save();
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.clip();
  context.drawImage(small, x - radius, y - radius, 2 * radius, 2 * radius);
  context.restore();
}

/* The head of the person who was measured, and of everybody else who was found. Answers kept here since before those were told have no others. */
const heads = (stack) => [head(stack.querySelector("svg")), ...JSON.parse(stack.dataset.heads || "[]").map(([x, y, radius]) => ({ x, y, radius }))];

/* A photograph with its skeleton, in the pixels of the drawing. */
async function pictured(stack, faceless) {
  const svg = stack.querySelector("svg"), { width, height } = svg.viewBox.baseVal;
  const canvas = document.createElement("canvas"), context = canvas.getContext("2d");
  canvas.width = width;
  canvas.height = height;
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

const stacks = (answer) => [...answer.querySelectorAll(".fmp-joints .fmp-figure > .fmp-stack")];
async function onePicture(answer, faceless) {
  const pictures = await Promise.all(stacks(answer).map((stack) => pictured(stack, faceless)));
  const names = [...answer.querySelectorAll(".fmp-joints figcaption")].map((caption) => caption.textContent);
  const high = (WIDE - 3 * GAP) / pictures.reduce((sum, { width, height }) => sum + width / height, 0);
  const canvas = document.createElement("canvas"), context = canvas.getContext("2d");
  const font = (size, weight = 400) => { context.font = `${weight} ${size}px system-ui, "Noto Sans", "Noto Sans Devanagari", sans-serif`; };
  font(28);
  const lines = written(answer).split("\n").flatMap((line) => wrapped(context, line, WIDE - 2 * GAP));
  canvas.width = WIDE;
  canvas.height = Math.ceil(high + LINE * (lines.length + 2.4) + 3 * GAP);
  context.fillStyle = "#fffefb";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = "#1b2a2e";
  let x = GAP;
  pictures.forEach((picture, index) => {
    const wide = high * picture.width / picture.height;
    context.drawImage(picture, x, GAP, wide, high);
    font(26, 600);
    context.fillText(names[index], x, GAP + high + LINE);
    x += wide + GAP;
  });
  font(28);
  lines.forEach((line, index) => context.fillText(line, GAP, 2 * GAP + high + LINE * (index + 2)));
  font(20);
  context.fillStyle = "#4d5f64";
  context.fillText("FixMyPose", GAP, canvas.height - GAP / 2);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
}

async function save(answer) {
  const faceless = Boolean(answer.querySelector("[name=fmp-faceless]")?.checked);
  page.save(await onePicture(answer, faceless), "fixmypose.jpg");
  if (faceless) say("share.saved_faceless", { count: stacks(answer).flatMap(heads).length });
  else say("share.saved");
}

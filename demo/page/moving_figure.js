/* A body drawn on a canvas: rounded limbs sorted by depth over a floor, the goal as a ghost, rotated about the vertical axis. */
const movingFigure = (() => {
  const { add, minus, cross, length, mixed, unit, axes } = bodyMotion;
  const PITCH = 0.17; // radians: the camera is a little above the hips, so that the floor is visible
  const HIGHEST = 0.75, LOWEST = -0.1;
  const AWAY = 5.5; // metres from the camera to the body
  const LIGHT = [-0.55, -0.83]; // direction of the light in the picture plane
  const SIDES = ["left", "right"];

  /* A limb: its ends, half its width at each in metres, and the joints that highlight it. */
  const limbs = (side) => [
    { ends: ["hip", "knee"], radii: [0.084, 0.058], lights: ["hip", "knee"], paint: side, band: [0.5, 0.6] },
    { ends: ["knee", "ankle"], radii: [0.056, 0.036], lights: ["knee"], paint: side, band: [0.34, 0.46] },
    { ends: ["ankle", "foot"], radii: [0.042, 0.034], lights: ["ankle", "foot"], paint: "shoe" },
    { ends: ["shoulder", "elbow"], radii: [0.057, 0.043], lights: ["shoulder"], paint: side, band: [0.52, 0.64] },
    { ends: ["elbow", "wrist"], radii: [0.042, 0.03], lights: ["elbow"], paint: side, band: [0.36, 0.5] },
    { ends: ["wrist", "hand"], radii: [0.031, 0.03], lights: ["wrist", "hand"], paint: "skin", beyond: 0.35 },
  ].map((limb) => ({ ...limb, side, ends: limb.ends.map((end) => `${side}_${end}`), lights: limb.lights.map((joint) => `${side}_${joint}`) }));
  const LIMBS = SIDES.flatMap(limbs);

  const rgb = (colour) => (colour.match(/[0-9a-f]{2}/gi) || ["80", "80", "80"]).slice(0, 3).map((part) => parseInt(part, 16));
  const tone = (colour, share) => {
    const towards = share > 0 ? 255 : 0;
    return `rgb(${rgb(colour).map((part) => Math.round(part + (towards - part) * Math.abs(share))).join(" ")})`;
  };

  const darker = (colour) => `#${rgb(colour).map((part) => Math.round(part * 0.62).toString(16).padStart(2, "0")).join("")}`;

  /* The outline of the convex hull of circles (x, y, radius). */
  function hull(circles) {
    const points = circles.flatMap(({ x, y, r }) => Array.from({ length: 20 }, (_, at) => [x + r * Math.cos(at * Math.PI / 10), y + r * Math.sin(at * Math.PI / 10)]));
    points.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const half = (those) => those.reduce((chain, point) => {
      const bends = () => { const [a, b] = chain.slice(-2); return (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) > 0; };
      while (chain.length > 1 && !bends()) chain.pop();
      chain.push(point);
      return chain;
    }, []);
    return [...half(points).slice(0, -1), ...half([...points].reverse()).slice(0, -1)];
  }

  /* In the displayed size of the canvas, or with a `fixed` width and height in pixels and pixel ratio. */
  return (canvas, fixed = null) => {
    const context = canvas.getContext("2d"), ghost = document.createElement("canvas"), outline = document.createElement("canvas");
    const camera = { yaw: 0, pitch: PITCH };
    let at = {}, body = null, target = null, centre = [0, 0, 0], floor = 1, reach = 1, high = 2, tall = 1, colours = {}, pixels = 1, ghostFor = "";

    /* The scale fits everything that will be shown at any rotation. */
    function show(newBody, poses, goal) {
      body = newBody;
      target = goal;
      at = Object.fromEntries(body.joints.map((name, index) => [name, index]));
      const all = goal ? [...poses, goal] : poses, start = poses[0];
      const spread = (axis, pick) => pick(...all.flatMap((pose) => pose.map((joint) => joint[axis])));
      centre = all.reduce((sum, pose) => add(sum, pose[at.hip], 1 / all.length), [0, 0, 0]);
      floor = spread(1, Math.max) + 0.04;
      const top = spread(1, Math.min) - 0.16;
      centre[1] = (floor + top) / 2;
      high = floor - top;
      reach = Math.max(...all.flatMap((pose) => pose.map((joint) => Math.hypot(joint[0] - centre[0], joint[2] - centre[2]))));
      const bones = [["hip", "spine"], ["spine", "neck"], ["left_hip", "left_knee"], ["left_knee", "left_ankle"]];
      tall = bones.reduce((sum, [a, b]) => sum + length(minus(start[at[a]], start[at[b]])), 0) / 1.36;
      tall = Math.min(Math.max(tall, 0.3), 2);
      front();
      dress();
    }
    function dress() {
      const style = getComputedStyle(canvas);
      for (const name of ["left", "right", "trunk", "skin", "hair", "shoe", "ghost", "floor", "lit", "ink", "paper", "band"]) colours[name] = style.getPropertyValue(`--fig-${name}`).trim();
      ghostFor = "";
    }
    function fit() {
      const ratio = fixed ? fixed.ratio : Math.min(window.devicePixelRatio || 1, 3);
      const size = fixed ? [fixed.width, fixed.height] : [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
      for (const sheet of [canvas, ghost, outline]) if (sheet.width !== size[0] || sheet.height !== size[1]) { [sheet.width, sheet.height] = size; ghostFor = ""; }
      pixels = ratio;
    }
    function project(point) {
      const [x, y, z] = minus(point, centre), sine = Math.sin(camera.yaw), cosine = Math.cos(camera.yaw), up = Math.sin(camera.pitch), ahead = Math.cos(camera.pitch);
      const wide = x * cosine + z * sine, deep = z * cosine - x * sine;
      const depth = y * up + deep * ahead, far = AWAY / (AWAY + depth);
      const metre = Math.min(canvas.width / (2 * reach + 0.45), canvas.height / (high + 0.5 + 0.25 * reach)) * far;
      return { x: canvas.width / 2 + wide * metre, y: canvas.height * 0.49 + (y * ahead - deep * up) * metre, depth, metre };
    }

    /* ---- shapes ---- */
    function capsule(ink, a, b) {
      const wide = b.x - a.x, down = b.y - a.y, apart = Math.hypot(wide, down);
      ink.beginPath();
      if (apart <= Math.abs(a.r - b.r) + 0.01) {
        const larger = a.r > b.r ? a : b;
        ink.arc(larger.x, larger.y, larger.r, 0, 2 * Math.PI);
        return;
      }
      const along = Math.atan2(down, wide), open = Math.acos((a.r - b.r) / apart);
      ink.arc(a.x, a.y, a.r, along + open, along - open + 2 * Math.PI);
      ink.arc(b.x, b.y, b.r, along - open, along + open);
      ink.closePath();
    }
    function polygon(ink, points) {
      ink.beginPath();
      points.forEach(([x, y], index) => (index ? ink.lineTo(x, y) : ink.moveTo(x, y)));
      ink.closePath();
    }
    const circle = (joint, radius) => { const projected = project(joint); return { ...projected, r: radius * tall * projected.metre }; };

    /* The body as shapes, the furthest first. */
    function shapes(pose) {
      const joint = (name) => pose[at[name]], made = [];
      for (const limb of LIMBS) {
        const [near, far] = limb.ends.map(joint), end = limb.beyond ? mixed(near, far, 1 + limb.beyond) : far;
        const a = circle(near, limb.radii[0]), b = circle(end, limb.radii[1]);
        made.push({ kind: "limb", ...limb, whole: limb.ends[0].replace(/elbow|wrist/, "shoulder").replace(/knee|ankle/, "hip"), a, b, depth: 0.4 * a.depth + 0.6 * b.depth });
      }
      const waist = mixed(joint("hip"), joint("spine"), 0.55), chest = mixed(joint("spine"), joint("neck"), 0.5);
      const pelvis = [circle(waist, 0.092), circle(joint("hip"), 0.1), circle(joint("left_hip"), 0.088), circle(joint("right_hip"), 0.088)];
      const upper = [circle(waist, 0.09), circle(joint("spine"), 0.102), circle(chest, 0.112), circle(joint("left_shoulder"), 0.062), circle(joint("right_shoulder"), 0.062), circle(mixed(joint("neck"), chest, 0.2), 0.062)];
      const depth = (circles) => circles.reduce((sum, one) => sum + one.depth, 0) / circles.length;
      made.push({ kind: "trunk", circles: pelvis, lights: ["hip"], paint: "shorts", depth: depth(pelvis) + 0.01 });
      made.push({ kind: "trunk", circles: upper, lights: ["spine"], paint: "trunk", depth: depth(upper) });
      made.push({ kind: "limb", a: circle(joint("neck"), 0.05), b: circle(mixed(joint("neck"), joint("head"), 0.45), 0.046), lights: [], paint: "skin", depth: project(joint("neck")).depth + 0.02 });
      const up = unit(minus(joint("head"), joint("neck")), [0, -1, 0]), [left, , ahead] = axes(minus(joint("left_shoulder"), joint("right_shoulder")), up);
      const middle = add(joint("neck"), up, Math.max(length(minus(joint("head"), joint("neck"))), 0.16 * tall)), skull = circle(middle, 0.112);
      made.push({ kind: "head", middle, skull, up, left, ahead, lights: ["head"], depth: skull.depth });
      return made.sort((one, other) => other.depth - one.depth);
    }
    function trace(ink, shape) {
      if (shape.kind === "limb") capsule(ink, shape.a, shape.b);
      else if (shape.kind === "trunk") polygon(ink, hull(shape.circles));
      else { ink.beginPath(); ink.arc(shape.skull.x, shape.skull.y, shape.skull.r, 0, 2 * Math.PI); }
    }
    function shaded(colour, x, y, radius) {
      const paint = context.createLinearGradient(x + LIGHT[0] * radius, y + LIGHT[1] * radius, x - LIGHT[0] * radius, y - LIGHT[1] * radius);
      paint.addColorStop(0, tone(colour, 0.34));
      paint.addColorStop(0.45, tone(colour, 0.04));
      paint.addColorStop(1, tone(colour, -0.34));
      return paint;
    }
    function limbPaint({ a, b }, colour) {
      const along = Math.atan2(b.y - a.y, b.x - a.x), across = [-Math.sin(along), Math.cos(along)];
      const side = across[0] * LIGHT[0] + across[1] * LIGHT[1] > 0 ? 1 : -1, x = (a.x + b.x) / 2, y = (a.y + b.y) / 2, radius = Math.max(a.r, b.r);
      const paint = context.createLinearGradient(x + side * across[0] * radius, y + side * across[1] * radius, x - side * across[0] * radius, y - side * across[1] * radius);
      paint.addColorStop(0, tone(colour, 0.1));
      paint.addColorStop(0.3, tone(colour, 0.26));
      paint.addColorStop(0.62, tone(colour, 0));
      paint.addColorStop(1, tone(colour, -0.36));
      return paint;
    }
    /* Two bright rings around each limb of the left side: it is recognisable without colours too. */
    function bands({ a, b, band }) {
      const along = Math.atan2(b.y - a.y, b.x - a.x), apart = Math.hypot(b.x - a.x, b.y - a.y);
      if (apart < a.r * 1.2) return;
      context.save();
      context.clip();
      context.strokeStyle = colours.band;
      context.lineWidth = Math.max(1.6 * pixels, 0.026 * tall * a.metre);
      for (const share of band) {
        const x = a.x + (b.x - a.x) * share, y = a.y + (b.y - a.y) * share, r = a.r + (b.r - a.r) * share;
        context.beginPath();
        context.moveTo(x - Math.sin(along) * r * 1.1, y + Math.cos(along) * r * 1.1);
        context.quadraticCurveTo(x + Math.cos(along) * r * 0.35, y + Math.sin(along) * r * 0.35, x + Math.sin(along) * r * 1.1, y - Math.cos(along) * r * 1.1);
        context.stroke();
      }
      context.restore();
    }
    /* The face is on the side that the person looks to; from behind it is not drawn. */
    function face({ middle, skull, up, left, ahead }) {
      const radius = 0.112 * tall, on = (forward, aside, above) => project(add(add(add(middle, ahead, forward * radius), left, aside * radius), up, above * radius));
      const onSkin = ({ depth }) => depth < skull.depth - 0.05 * radius;
      const rim = Array.from({ length: 28 }, (_, index) => {
        const turn = index * Math.PI / 14, point = on(0.42, 0.86 * Math.cos(turn), 0.95 * Math.sin(turn) - 0.24);
        const wide = point.x - skull.x, down = point.y - skull.y, long = Math.hypot(wide, down) || 1;
        return point.depth > skull.depth || long > skull.r ? [skull.x + wide / long * skull.r, skull.y + down / long * skull.r] : [point.x, point.y];
      });
      const nose = on(1, 0, -0.1);
      if (nose.depth > skull.depth + 0.72 * radius) return;
      context.save();
      context.beginPath();
      context.arc(skull.x, skull.y, skull.r, 0, 2 * Math.PI);
      context.clip();
      polygon(context, rim);
      context.fillStyle = shaded(colours.skin, skull.x, skull.y, skull.r);
      context.fill();
      context.restore();
      if (nose.depth < skull.depth + 0.25 * radius) { // in profile the nose protrudes, which shows the direction of view
        capsule(context, { ...on(0.86, 0, 0), r: 0.1 * skull.r }, { ...on(1.14, 0, -0.2), r: 0.12 * skull.r });
        context.fillStyle = tone(colours.skin, -0.1);
        context.fill();
      }
      context.fillStyle = tone(colours.hair, -0.35);
      for (const side of [-0.36, 0.36]) {
        const eye = on(0.88, side, 0.08);
        if (!onSkin(eye)) continue;
        context.beginPath();
        context.arc(eye.x, eye.y, Math.max(0.085 * skull.r, pixels), 0, 2 * Math.PI);
        context.fill();
      }
      const mouth = [[-0.3, -0.42], [0, -0.55], [0.3, -0.42]].map(([aside, above]) => on(0.82, aside, above));
      if (!mouth.every(onSkin)) return;
      context.beginPath();
      context.moveTo(mouth[0].x, mouth[0].y);
      context.quadraticCurveTo(mouth[1].x, mouth[1].y, mouth[2].x, mouth[2].y);
      context.strokeStyle = tone(colours.skin, -0.5);
      context.lineWidth = Math.max(0.07 * skull.r, 0.8 * pixels);
      context.lineCap = "round";
      context.stroke();
    }

    function solid(shape) {
      trace(context, shape);
      if (shape.kind === "limb") context.fillStyle = limbPaint(shape, colours[shape.paint]);
      else if (shape.kind === "head") context.fillStyle = shaded(colours.hair, shape.skull.x, shape.skull.y, shape.skull.r);
      else {
        const [first] = shape.circles, wide = Math.max(...shape.circles.map(({ x, y, r }) => Math.hypot(x - first.x, y - first.y) + r));
        context.fillStyle = shaded(shape.paint === "shorts" ? darker(colours.trunk) : colours.trunk, first.x, first.y, wide);
      }
      context.fill();
      context.lineWidth = pixels;
      context.strokeStyle = "rgb(0 0 0 / .28)";
      context.stroke();
      if (shape.band && shape.side === "left") { trace(context, shape); bands(shape); }
      if (shape.kind === "head") face(shape);
    }
    /* A rim around moving shapes; `others` of the same limb below are drawn again, so that a limb has one rim. */
    function rim(shape, others) {
      trace(context, shape);
      context.lineJoin = "round";
      context.strokeStyle = colours.lit;
      context.lineWidth = 9 * pixels;
      context.stroke();
      if (!others.length || shape.kind !== "limb") return;
      context.save();
      const wider = (end) => ({ ...end, r: end.r + 5 * pixels });
      capsule(context, wider(shape.a), wider(shape.b));
      context.clip();
      others.forEach(solid);
      context.restore();
    }

    /* ---- picture ---- */
    function ground(pose) {
      const flat = (x, z) => project([centre[0] + x, floor, centre[2] + z]), round = (radius) => Array.from({ length: 48 }, (_, index) => flat(radius * Math.cos(index * Math.PI / 24), radius * Math.sin(index * Math.PI / 24))).map(({ x, y }) => [x, y]);
      const wide = Math.max(reach, 0.62), middle = flat(0, 0), edge = flat(wide, 0);
      const paint = context.createRadialGradient(middle.x, middle.y, 0, middle.x, middle.y, Math.max(Math.hypot(edge.x - middle.x, edge.y - middle.y), wide * middle.metre * 0.9));
      const [r, g, b] = rgb(colours.floor);
      paint.addColorStop(0, `rgb(${r} ${g} ${b} / .75)`);
      paint.addColorStop(1, `rgb(${r} ${g} ${b} / .28)`);
      polygon(context, round(wide));
      context.fillStyle = paint;
      context.fill();
      context.lineWidth = pixels;
      context.strokeStyle = `rgb(${r} ${g} ${b} / .9)`;
      for (const radius of [wide / 3, 2 * wide / 3, wide]) { polygon(context, round(radius)); context.stroke(); }
      for (const [x, y, z] of [...pose, ...body.bones.map(([parent, child]) => mixed(pose[parent], pose[child], 0.5))]) {
        const above = Math.min(Math.max(floor - y, 0), 2), spot = project([x, floor, z]), r0 = (0.1 + 0.09 * above) * tall * spot.metre;
        const dark = context.createRadialGradient(0, 0, 0, 0, 0, r0);
        dark.addColorStop(0, `rgb(0 0 0 / ${(0.03 + 0.24 * Math.exp(-4 * above)).toFixed(3)})`);
        dark.addColorStop(1, "rgb(0 0 0 / 0)");
        context.save();
        context.translate(spot.x, spot.y);
        context.scale(1, Math.max(Math.abs(Math.sin(camera.pitch)), 0.08) + 0.08);
        context.fillStyle = dark;
        context.fillRect(-r0, -r0, 2 * r0, 2 * r0);
        context.restore();
      }
    }
    /* The goal as one translucent shape with a dashed rim; redrawn only after a rotation. */
    function haunt() {
      const key = [camera.yaw, camera.pitch, canvas.width, canvas.height].join();
      if (key === ghostFor) return;
      ghostFor = key;
      const those = shapes(target), inner = ghost.getContext("2d"), rim = outline.getContext("2d");
      for (const ink of [inner, rim]) { ink.setTransform(1, 0, 0, 1, 0, 0); ink.globalCompositeOperation = "source-over"; ink.clearRect(0, 0, canvas.width, canvas.height); }
      inner.fillStyle = colours.ghost;
      rim.strokeStyle = colours.ghost;
      rim.lineWidth = 3.6 * pixels;
      rim.setLineDash([6 * pixels, 4.5 * pixels]);
      for (const shape of those) { trace(inner, shape); inner.fill(); trace(rim, shape); rim.stroke(); }
      rim.globalCompositeOperation = "destination-out";
      for (const shape of those) { trace(rim, shape); rim.fill(); }
    }
    function letter(pose, side, text) {
      const [wrist, hand] = ["wrist", "hand"].map((joint) => project(pose[at[`${side}_${joint}`]]));
      const wide = hand.x - wrist.x, down = hand.y - wrist.y, long = Math.hypot(wide, down) || 1, away = 0.075 * tall * hand.metre + 10 * pixels, size = 9.5 * pixels;
      const x = Math.min(Math.max(hand.x + wide / long * away, size), canvas.width - size), y = Math.min(Math.max(hand.y + (long < 2 ? 1 : down / long) * away, size), canvas.height - size);
      context.beginPath();
      context.arc(x, y, size, 0, 2 * Math.PI);
      context.fillStyle = tone(colours[side], -0.25);
      context.fill();
      context.fillStyle = "#fff";
      context.font = `700 ${11.5 * pixels}px system-ui, "Noto Sans", "Noto Sans Devanagari", sans-serif`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillText(text, x, y + 0.6 * pixels);
    }
    function arrow(points) {
      const projected = points.map(project), last = projected.at(-1), before = projected.at(-3) || projected[0], along = Math.atan2(last.y - before.y, last.x - before.x), size = 9 * pixels;
      if (Math.hypot(last.x - projected[0].x, last.y - projected[0].y) < 2 * size) return;
      for (const [colour, width] of [[colours.paper, 5], [colours.ink, 2.4]]) {
        context.strokeStyle = context.fillStyle = colour;
        context.lineWidth = width * pixels;
        context.lineCap = "round";
        context.setLineDash([0.1, 6 * pixels]);
        context.beginPath();
        projected.slice(0, -1).forEach(({ x, y }, index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
        context.stroke();
        context.setLineDash([]);
        const grown = size + (width - 2.4) * pixels / 2;
        polygon(context, [0, 2.55, -2.55].map((turn, index) => [last.x + Math.cos(along + turn) * grown * (index ? 1 : 0.7), last.y + Math.sin(along + turn) * grown * (index ? 1 : 0.7)]));
        context.fill();
      }
    }

    /* `lit` are names of joints, `ways` lists of points, `letters` the labels at the hands. */
    function draw(pose, { lit = new Set(), ways = [], letters = {} } = {}) {
      fit();
      if (!canvas.width || !body) return;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, canvas.width, canvas.height);
      ground(pose);
      if (target) {
        haunt();
        context.globalAlpha = 0.2;
        context.drawImage(ghost, 0, 0);
        context.globalAlpha = 1;
      }
      const trunkLit = lit.has("spine"), lights = (name) => lit.has(name) && !(trunkLit && name.endsWith("shoulder")) && !(lit.has("hip") && /_hip$/.test(name));
      const drawn = [];
      for (const shape of shapes(pose)) {
        shape.lit = shape.lights.some(lights);
        if (shape.lit) rim(shape, drawn.filter((other) => other.lit && other.whole === shape.whole));
        solid(shape);
        drawn.push(shape);
      }
      if (target) {
        context.globalAlpha = 0.85;
        context.drawImage(outline, 0, 0);
        context.globalAlpha = 1;
      }
      ways.forEach(arrow);
      for (const side of SIDES) if (letters[side]) letter(pose, side, letters[side]);
    }
    function turn(yaw, pitch) {
      camera.yaw += yaw;
      camera.pitch = Math.min(Math.max(camera.pitch + pitch, LOWEST), HIGHEST);
    }
    function front() { Object.assign(camera, { yaw: 0, pitch: PITCH }); }
    return { show, draw, dress, turn, front, camera };
  };
})();

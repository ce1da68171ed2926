/* The overlay on the picture of the live coach, and extrapolation of joints since they were measured. */
const HIP = 0; // joint
const shade = document.createElement("canvas");
const MEMORY = 400; // milliseconds of answers from which a joint's motion is estimated
const MAX_LEAD = 300, MAX_WAY = 120; // maximum extrapolation of joints: milliseconds, and thousandths of the picture
const STILL = 6; // thousandths: apparent motion of a joint while a person stands still

/* The joints `lead` milliseconds after the last of the `answers`, each { at, joints }, oldest first: motion continues, and nearly still joints stay. */
function predicted(answers, lead) {
  const last = answers.at(-1), known = answers.filter(({ at }) => last.at - at <= MEMORY);
  const middle = known.reduce((sum, { at }) => sum + at, 0) / known.length, spread = known.reduce((sum, { at }) => sum + (at - middle) ** 2, 0);
  if (!spread) return last.joints;
  const time = Math.min(Math.max(lead, 0), MAX_LEAD);
  return last.joints.map((place, joint) => {
    const way = place.map((_, axis) => (time * known.reduce((sum, { at, joints }) => sum + (at - middle) * joints[joint][axis], 0)) / spread), length = Math.hypot(...way);
    const share = length > STILL ? (1 - (STILL / length) ** 2) * Math.min(1, MAX_WAY / length) : 0;
    return place.map((value, axis) => value + share * way[axis]);
  });
}
/* Advice with its joints, and the goal on them, at their present positions. */
function ahead(answers, advice, lead) {
  if (!advice.joints) return advice;
  const joints = predicted(answers, lead), moved = joints[HIP].map((value, axis) => value - advice.joints[HIP][axis]);
  return { ...advice, joints, ghost: advice.ghost && advice.ghost.map((place) => place.map((value, axis) => value + moved[axis])) };
}

/* Draw the skeleton on the canvas: correct limbs solid, wrong ones dashed, thick and with rings at their joints; the goal below as a pale body. */
function drawOver(context, width, height, { joints, ghost, off, hidden }) {
  const at = ([x, y]) => [(x / 1000) * width, (y / 1000) * height], thick = Math.max(3, Math.min(width, height) / 90);
  const line = (on, places, [parent, child], wide, colour, dashes = []) => {
    on.beginPath();
    on.moveTo(...at(places[parent]));
    on.lineTo(...at(places[child]));
    on.lineWidth = wide;
    on.strokeStyle = colour;
    on.setLineDash(dashes);
    on.stroke();
  };
  context.lineCap = context.lineJoin = "round";
  const head = (places) => [at(places[HEAD]), Math.hypot(...at(places[HEAD]).map((value, axis) => value - at(places[NECK])[axis])) * 0.55];
  if (ghost) {
    const on = shade.getContext("2d");
    Object.assign(shade, { width, height }); // this clears it
    on.lineCap = "round";
    const [middle, radius] = head(ghost);
    for (const [colour, more] of [["#10181a", thick], ["#fff", 0]]) { // pale, with an edge that is visible before a white wall
      for (const bone of BONES) line(on, ghost, bone, thick * 4.5 + more, colour);
      on.fillStyle = colour;
      on.beginPath();
      on.arc(...middle, radius + thick + more / 2, 0, 7);
      on.fill();
    }
    context.globalAlpha = 0.45;
    context.drawImage(shade, 0, 0);
    context.globalAlpha = 1;
    for (const bone of BONES) line(context, ghost, bone, thick * 0.5, "#0b5a63", [thick * 1.2, thick * 1.6]);
  }
  if (!joints) return;
  const wrong = new Set(off), unseen = new Set(hidden);
  context.setLineDash([]);
  joints.forEach((place, joint) => { // a ring around each wrong joint, below the lines, so that it hides no limb
    if (unseen.has(joint) || !wrong.has(joint)) return;
    for (const [wide, colour] of [[1.1, "rgb(16 24 26 / .7)"], [0.6, "#ff8a5c"]]) {
      context.beginPath();
      context.arc(...at(place), thick * 1.9, 0, 7);
      context.lineWidth = thick * wide;
      context.strokeStyle = colour;
      context.stroke();
    }
  });
  for (const bone of BONES) {
    if (unseen.has(bone[1])) continue;
    const bad = wrong.has(bone[1]) && wrong.has(bone[0]);
    line(context, joints, bone, thick * (bad ? 2.4 : 1.7), "rgb(16 24 26 / .7)");
    line(context, joints, bone, thick * (bad ? 1.7 : 1), bad ? "#ff8a5c" : "#7fe0dc", bad ? [thick * 2.4, thick * 2] : []);
  }
  context.setLineDash([]);
  if (!unseen.has(HEAD)) {
    const [middle, radius] = head(joints);
    for (const [wide, colour] of [[1.7, "rgb(16 24 26 / .7)"], [1, wrong.has(HEAD) ? "#ff8a5c" : "#7fe0dc"]]) {
      context.beginPath();
      context.arc(...middle, radius, 0, 7);
      context.lineWidth = thick * wide;
      context.strokeStyle = colour;
      context.stroke();
    }
  }
}
/* Draw the advice over the camera's picture; for a video, first draw the measured frame. */
function drawAdvice(advice, frame) {
  const { videoWidth, videoHeight } = video;
  if (!videoWidth) return;
  const scale = Math.min(2, (overlay.clientWidth * devicePixelRatio) / videoWidth || 1);
  const width = Math.round(videoWidth * scale), height = Math.round(videoHeight * scale), context = overlay.getContext("2d");
  if (overlay.width !== width || overlay.height !== height) Object.assign(overlay, { width, height });
  context.clearRect(0, 0, width, height);
  if (frame) context.drawImage(frame, 0, 0, width, height);
  if (advice) drawOver(context, width, height, advice);
}
function drawRing({ phase, held }, seconds) {
  const ring = find(".fmp-live-ring"), holds = phase === "hold" || phase === "reached";
  ring.toggleAttribute("hidden", !holds);
  if (!holds) return;
  ring.querySelector(".fmp-live-ring-now").setAttribute("stroke-dasharray", `${held} 1`);
  ring.querySelector("text").textContent = held < 1 ? Math.ceil(seconds * (1 - held)) : "✓";
}

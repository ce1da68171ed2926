/* Motion of a body from one pose to the next: bones rotate and keep their lengths. Poses are points in metres, x to the right of the picture, y down, z away from the camera. */
const bodyMotion = (() => {
  const TINY = 1e-6;
  const WIDE_TURN = -0.5; // cosine: beyond it a limb might pass through the body instead of around it
  const add = (a, b, share = 1) => [a[0] + b[0] * share, a[1] + b[1] * share, a[2] + b[2] * share];
  const minus = (a, b) => add(a, b, -1);
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const length = (a) => Math.hypot(...a);
  const mixed = (a, b, share) => add(a, minus(b, a), share);
  function unit(vector, otherwise) {
    const long = length(vector);
    return long > TINY ? vector.map((value) => value / long) : otherwise;
  }

  /* Orthogonal rows (left, up, forward) of a part of the trunk. */
  function axes(left, up) {
    const x = unit(left, [1, 0, 0]), z = unit(cross(x, up), unit(cross(x, [0, -1, 0]), [0, 0, -1]));
    return [x, cross(z, x), z];
  }
  const into = (rows, vector) => rows.map((row) => dot(row, vector));
  const out = (rows, [x, y, z]) => add(add(rows[0].map((value) => value * x), rows[1], y), rows[2], z);

  /* Rotate unit vectors along the shortest path on the sphere. */
  function slerp(from, to, share) {
    const cosine = Math.min(1, dot(from, to)), angle = Math.acos(Math.max(-1, cosine)), sine = Math.sin(angle);
    if (sine < 1e-4) return unit(mixed(from, to, share), from);
    return add(from.map((value) => value * Math.sin((1 - share) * angle) / sine), to, Math.sin(share * angle) / sine);
  }
  /* If both ends are nearly opposite, the limb goes round by `aside` and not through the body. */
  function turning(from, to, aside) {
    if (dot(from, to) > WIDE_TURN) return (share) => slerp(from, to, share);
    const middle = unit(add(add(from, to), aside), aside);
    return (share) => (share < 0.5 ? slerp(from, middle, 2 * share) : slerp(middle, to, 2 * share - 1));
  }

  /* Frames as quaternions (w, x, y, z), so that hips and shoulders turn as one piece. */
  function quaternion([[a, b, c], [d, e, f], [g, h, i]]) {
    const squares = [1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i], most = squares.indexOf(Math.max(...squares));
    const sums = [
      [squares[0], h - f, c - g, d - b], [h - f, squares[1], b + d, c + g],
      [c - g, b + d, squares[2], f + h], [d - b, c + g, f + h, squares[3]],
    ][most];
    const long = Math.hypot(...sums);
    return sums.map((value) => value / long);
  }
  function rows([w, x, y, z]) {
    return [
      [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ];
  }
  function turningFrame(from, to) {
    const start = quaternion(from), goal = quaternion(to), cosine = start.reduce((sum, value, at) => sum + value * goal[at], 0);
    const end = cosine < 0 ? goal.map((value) => -value) : goal, angle = Math.acos(Math.min(1, Math.abs(cosine))), sine = Math.sin(angle);
    return (share) => {
      const [a, b] = sine < 1e-4 ? [1 - share, share] : [Math.sin((1 - share) * angle) / sine, Math.sin(share * angle) / sine];
      const between = start.map((value, at) => a * value + b * end[at]), long = Math.hypot(...between);
      return rows(between.map((value) => value / long));
    };
  }

  /* `body` has the names of the joints and its bones; returns a function from a fraction of the movement to a pose. */
  function between(body, from, to) {
    const at = Object.fromEntries(body.joints.map((name, index) => [name, index]));
    const pelvis = (pose) => axes(minus(pose[at.left_hip], pose[at.right_hip]), minus(pose[at.spine], pose[at.hip]));
    const chest = (pose) => axes(minus(pose[at.left_shoulder], pose[at.right_shoulder]), minus(pose[at.neck], pose[at.spine]));
    const carriers = { pelvis: [pelvis(from), pelvis(to)], chest: [chest(from), chest(to)] };
    const frames = { pelvis: turningFrame(...carriers.pelvis), chest: turningFrame(...carriers.chest) };
    const above = /shoulder|elbow|wrist|hand|head/;
    const turns = body.bones.map(([parent, child]) => {
      const name = body.joints[child], carrier = above.test(name) ? "chest" : "pelvis";
      const ends = [from, to].map((pose, end) => [minus(pose[child], pose[parent]), carriers[carrier][end]]);
      const [first, last] = ends.map(([bone, frame]) => unit(into(frame, bone), [0, 1, 0]));
      const outward = name.startsWith("left") ? 0.7 : name.startsWith("right") ? -0.7 : 0;
      return { parent, child, carrier, lengths: ends.map(([bone]) => length(bone)), turn: turning(first, last, [outward, 0, 0.5]) };
    });
    const [planted] = [at.left_ankle, at.right_ankle, at.hip].sort((one, other) => length(minus(to[one], from[one])) - length(minus(to[other], from[other])));
    const lowest = (pose) => Math.max(...pose.map((joint) => joint[1]));

    return (share) => {
      if (share <= 0) return from;
      if (share >= 1) return to;
      const held = { pelvis: frames.pelvis(share), chest: frames.chest(share) }, pose = [];
      pose[0] = mixed(from[0], to[0], share);
      turns.forEach(({ parent, child, carrier, lengths: [first, last], turn }) => {
        pose[child] = add(pose[parent], out(held[carrier], turn(share)), first + (last - first) * share);
      });
      /* The foot or the hips that should stay in place do; the body neither sinks into the floor nor leaves it. */
      const shift = minus(mixed(from[planted], to[planted], share), pose[planted]);
      shift[1] = lowest(from) + (lowest(to) - lowest(from)) * share - lowest(pose);
      return pose.map((joint) => add(joint, shift));
    };
  }

  return { add, minus, dot, cross, length, mixed, unit, axes, between };
})();

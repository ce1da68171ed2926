/* The camera's tilt from the upright lines of a frame: fmp_models/estimators/camera_tilt.py in the browser, where the frame is. */
const SIDE = 360, FOCAL = 0.9 * SIDE; // pixels of the longer side
const PITCHES = Array.from({ length: 21 }, (_, n) => -40 + 4 * n), ROLLS = Array.from({ length: 31 }, (_, n) => -30 + 2 * n); // degrees
const FINE = 1, AROUND = 2, FAINT = 1.5, STRONG = 8, STRAIGHT = 0.8, UPRIGHT = 45, MIN_EDGES = 60, MAX_EDGES = 600;
const EXACT = 2, MOSTLY = 0.1, TOGETHER = 55, LIMB = 0.06;
/* Pairs of landmarks between which a person covers the frame. */
const LIMBS = [[0, 11], [0, 12], [7, 8], [11, 12], [11, 23], [12, 24], [11, 24], [12, 23], [23, 24], [11, 13], [13, 15], [15, 19], [12, 14], [14, 16], [16, 20], [23, 25], [25, 27], [27, 31], [24, 26], [26, 28], [28, 32]];
const radians = (degrees) => (degrees * Math.PI) / 180;
const DOWN = PITCHES.flatMap((pitch) => ROLLS.map((roll) => [Math.sin(radians(roll)) * Math.cos(radians(pitch)), Math.cos(radians(roll)) * Math.cos(radians(pitch)), Math.sin(radians(pitch))]));

/* Log-likelihoods of every tilt, from a `picture` (canvas or bitmap), its size and the landmarks (pixels) of the person in it. */
export function uprightLines(picture, width, height, landmarks) {
  const scale = SIDE / Math.max(width, height), columns = Math.max(1, Math.round(width * scale)), rows = Math.max(1, Math.round(height * scale));
  const edges = edgesOf(greyOf(picture, width, height, columns, rows), columns, rows, landmarks.map(([x, y]) => [x * scale, y * scale]));
  const likely = new Float32Array(DOWN.length);
  if (edges.length < MIN_EDGES) return likely;
  const spread = 2 * Math.sin(radians(EXACT)) ** 2, peak = (2 * UPRIGHT) / (EXACT * Math.sqrt(2 * Math.PI));
  DOWN.forEach(([across, down, ahead], tilt) => {
    let sum = 0;
    for (const [x, y, cos, sin, weight] of edges) {
      const along = across * FOCAL * cos + down * FOCAL * sin - ahead * (x * cos + y * sin);
      const length = (FOCAL * across - x * ahead) ** 2 + (FOCAL * down - y * ahead) ** 2;
      sum += weight * Math.log(1 - MOSTLY + MOSTLY * Math.exp(-(along * along) / (length + 1e-6) / spread) * peak);
    }
    likely[tilt] = sum / TOGETHER;
  });
  return likely;
}

function greyOf(picture, width, height, columns, rows) {
  const context = new OffscreenCanvas(columns, rows).getContext("2d", { willReadFrequently: true });
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, width, height, 0, 0, columns, rows);
  const { data } = context.getImageData(0, 0, columns, rows);
  return Float32Array.from({ length: columns * rows }, (_, n) => 0.299 * data[4 * n] + 0.587 * data[4 * n + 1] + 0.114 * data[4 * n + 2]);
}

/* Gaussian of a deviation, or its derivative, over four deviations on either side. */
function kernel(deviation, derived) {
  const radius = 4 * deviation, offsets = Array.from({ length: 2 * radius + 1 }, (_, n) => n - radius);
  const weights = offsets.map((offset) => Math.exp(-((offset / deviation) ** 2) / 2)), total = weights.reduce((sum, one) => sum + one);
  return weights.map((weight, n) => (weight / total) * (derived ? offsets[n] / deviation ** 2 : 1));
}
/* Filter along rows (step 1) or columns, with mirrored borders. */
function along(values, columns, rows, weights, downwards) {
  const out = new Float32Array(values.length), radius = (weights.length - 1) / 2, length = downwards ? rows : columns, step = downwards ? columns : 1;
  for (let line = 0; line < (downwards ? columns : rows); line += 1) {
    const first = downwards ? line : line * columns;
    for (let place = 0; place < length; place += 1) {
      let sum = 0;
      for (let n = 0; n < weights.length; n += 1) {
        let from = place + n - radius;
        if (from < 0) from = -1 - from;
        else if (from >= length) from = 2 * length - 1 - from;
        sum += weights[n] * values[first + Math.min(length - 1, Math.max(0, from)) * step];
      }
      out[first + place * step] = sum;
    }
  }
  return out;
}

/* Pixels on straight upright edges outside the person: position from the middle, cosine and sine of the direction, weight. */
function edgesOf(grey, columns, rows, landmarks) {
  const [smooth, slope, wide] = [kernel(FINE), kernel(FINE, true), kernel(AROUND)];
  const both = (values, right, down) => along(along(values, columns, rows, right), columns, rows, down, true);
  const right = both(grey, slope, smooth), down = both(grey, smooth, slope);
  const strength = right.map((value, n) => Math.hypot(value, down[n]));
  const even = strength.map((value) => Math.min(1, STRONG / (value + 1e-6)) ** 2);
  const [xx, xy, yy] = [right.map((value, n) => value * value * even[n]), right.map((value, n) => value * down[n] * even[n]), down.map((value, n) => value * value * even[n])].map((values) => both(values, wide, wide));
  const extent = [0, 1].map((axis) => Math.max(...landmarks.map((place) => place[axis])) - Math.min(...landmarks.map((place) => place[axis])));
  const reach = (LIMB * Math.max(...extent)) ** 2, limbs = LIMBS.map((ends) => ends.map((end) => landmarks[end]));
  const covered = (x, y) => limbs.some(([[left, top], [toX, toY]]) => {
    const [boneX, boneY] = [toX - left, toY - top];
    const share = Math.min(1, Math.max(0, ((x - left) * boneX + (y - top) * boneY) / Math.max(boneX * boneX + boneY * boneY, 1e-6)));
    return (x - left - share * boneX) ** 2 + (y - top - share * boneY) ** 2 < reach;
  });
  const edges = [];
  for (let row = 0; row < rows; row += 1) for (let column = 0; column < columns; column += 1) {
    const n = row * columns + column, own = strength[n];
    if (own <= FAINT || own < strength[Math.max(column - 1, 0) + row * columns] || own < strength[Math.min(column + 1, columns - 1) + row * columns]) continue;
    const coherence = Math.hypot(xx[n] - yy[n], 2 * xy[n]) / (xx[n] + yy[n] + 1), direction = 0.5 * Math.atan2(2 * xy[n], xx[n] - yy[n]);
    if (coherence <= STRAIGHT || Math.abs(direction) >= radians(UPRIGHT) || covered(column, row)) continue;
    const weight = (Math.sqrt(Math.min(own, STRONG)) * (coherence - STRAIGHT)) / (1 - STRAIGHT);
    edges.push([column - (columns - 1) / 2, row - (rows - 1) / 2, Math.cos(direction), Math.sin(direction), weight, row]);
  }
  const every = Math.floor(edges.length / MAX_EDGES) + 1; // whole rows, so that a mirrored picture keeps the mirrored pixels
  return edges.filter((edge) => edge[5] % every === 0).map((edge) => [...edge.slice(0, 4), edge[4] * every]);
}

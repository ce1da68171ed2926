/* Faces in saved or shared pictures: the position of a head, and the mosaic that makes it unrecognisable. */
const MOSAIC = 6; // mosaic cells across a face
const NECK = 2, HEAD = 3, SHOULDERS = [4, 8]; // joints

/* The position of the head from a body's `joints`, and its size from the distance to the neck and the width of the shoulders, with a minimum relative to the picture. */
function headOf(joints, { width, height }) {
  const apart = (one, other) => Math.hypot(joints[one][0] - joints[other][0], joints[one][1] - joints[other][1]);
  const [x, y] = joints[HEAD];
  return { x, y, radius: Math.max(1.4 * apart(NECK, HEAD), 0.55 * apart(...SHOULDERS), 0.06 * Math.max(width, height)) };
}
function blurFace(context, { x, y, radius }) {
  const small = Object.assign(document.createElement("canvas"), { width: MOSAIC, height: MOSAIC }), squares = small.getContext("2d");
  squares.fillStyle = "#888"; // also beyond the edge of the picture, or the face would show through there
  squares.fillRect(0, 0, MOSAIC, MOSAIC);
  squares.drawImage(context.canvas, x - radius, y - radius, 2 * radius, 2 * radius, 0, 0, MOSAIC, MOSAIC);
  context.save();
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.clip();
  context.drawImage(small, x - radius, y - radius, 2 * radius, 2 * radius);
  context.restore();
}

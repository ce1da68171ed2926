/* Turning: a photograph without the clockwise rotation and mirroring that it was taken with. */
window.FMP.turnedBack = async (file, { turned_by, mirrored }) => {
  const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
  const canvas = document.createElement("canvas"), draw = canvas.getContext("2d"), { width, height } = picture;
  [canvas.width, canvas.height] = turned_by % 180 ? [height, width] : [width, height];
  draw.fillStyle = "#fff"; // background of transparent pixels
  draw.fillRect(0, 0, canvas.width, canvas.height);
  draw.translate(canvas.width / 2, canvas.height / 2);
  draw.scale(mirrored ? -1 : 1, 1);
  draw.rotate(-turned_by * Math.PI / 180);
  draw.drawImage(picture, -width / 2, -height / 2);
  picture.close();
  return canvas.toDataURL("image/jpeg", 0.9);
};

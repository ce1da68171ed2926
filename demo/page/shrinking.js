/* Shrinking: a photograph as large as an answer needs, upright and without what the camera wrote into it. */
(() => {
  const LONGEST = 1280; // pixels of the longer side: joints are found no better in larger ones
  const QUALITY = 0.9;

  /* `{ file, width, height }`, of the picture as it was given. What the browser cannot read or draw goes as it is: HEIC, what is no picture, or what there is no memory for. */
  window.FMP.shrunk = async (file) => {
    try { return await drawn(file); } catch { return { file }; }
  };
  async function drawn(file) {
    const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
    const { width, height } = picture, scale = Math.min(1, LONGEST / Math.max(width, height));
    const canvas = document.createElement("canvas"), draw = canvas.getContext("2d");
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    draw.fillStyle = "#fff"; // behind what is transparent
    draw.fillRect(0, 0, canvas.width, canvas.height);
    draw.imageSmoothingQuality = "high";
    draw.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    const small = await new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
    return small ? { file: new File([small], file.name || "", { type: small.type }), width, height } : { file };
  }
})();

/* Scaling down: a photograph in the size that an answer needs, upright and without metadata. */
(() => {
  const MAX_SIDE = 1280; // pixels of the longer side: larger pictures do not improve the joints
  const MIN_SIDE = 64; // pixels of the shorter side, which the server requires; scaling down goes no further
  const QUALITY = 0.9;
  const HEADER = 65536; // bytes that show whether a PNG, WebP or AVIF is animated
  const ANIMATED = /^RIFF[^]{4}WEBPVP8X[^]+ANIM|^\x89PNG[^]+acTL|^[^]{4}ftyp(avis|msf1|hevc)/;

  /* `{ file, width, height }`, with the size of the original. A file that the browser cannot decode or draw is sent unchanged: HEIC, other files, or pictures too large for its memory. So is an animation, which the server rejects and of which a canvas would show only the first picture. */
  window.FMP.shrunk = async (file) => {
    try { return await isAnimated(file) ? { file } : await drawn(file); } catch { return { file }; }
  };
  async function isAnimated(file) {
    const bytes = async (end) => new Uint8Array(await file.slice(0, end).arrayBuffer());
    const header = Array.from(await bytes(HEADER), (byte) => String.fromCharCode(byte)).join("");
    return header.startsWith("GIF8") ? severalPictures(await bytes(file.size)) : ANIMATED.test(header);
  }
  /* Whether a GIF has a second picture in its blocks. */
  function severalPictures(gif) {
    const palette = (flags) => (flags & 128 ? 3 << ((flags & 7) + 1) : 0);
    let at = 13 + palette(gif[10]), pictures = 0;
    while (gif[at] === 0x2c || gif[at] === 0x21) { // a picture or an extension
      if (gif[at] === 0x2c && pictures++) return true;
      at += gif[at] === 0x2c ? 11 + palette(gif[at + 9]) : 2;
      while (gif[at]) at += 1 + gif[at];
      at += 1;
    }
    return false;
  }
  async function drawn(file) {
    const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
    const { width, height } = picture, scale = Math.min(1, Math.max(MAX_SIDE / Math.max(width, height), MIN_SIDE / Math.min(width, height)));
    const canvas = document.createElement("canvas"), draw = canvas.getContext("2d");
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    draw.fillStyle = "#fff"; // background of transparent pixels
    draw.fillRect(0, 0, canvas.width, canvas.height);
    draw.imageSmoothingQuality = "high";
    draw.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    const small = await new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
    return small ? { file: new File([small], file.name || "", { type: small.type }), width, height } : { file };
  }
})();

/* Cameras: which there are, why one cannot be had, what a video shows, and how a camera is ended. */
Object.assign(window.FMP, {
  cameras: async () => (await navigator.mediaDevices.enumerateDevices()).filter(({ kind }) => kind === "videoinput"),
  stopTracks: (stream) => stream?.getTracks().forEach((track) => track.stop()),
  /* Why a camera cannot be had, as one of the `keys` insecure, none, busy and refused. */
  cameraTrouble: (error, keys) => keys[window.isSecureContext ? { NotFoundError: "none", NotReadableError: "busy", AbortError: "busy" }[error?.name] || "refused" : "insecure"],

  /* What a video shows now, or a canvas, on a canvas of its own whose longer side has `longest` pixels at most; null while there is nothing. */
  frame(video, longest = Infinity) {
    const { videoWidth: width = video.width, videoHeight: height = video.height } = video;
    if (!width || !height) return null;
    const scale = Math.min(1, longest / Math.max(width, height)), canvas = document.createElement("canvas");
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
    return canvas;
  },
});

/* Sharing of an answer: a saved picture, and the same picture shared with the steps and a URL. */
const shareable = (file) => Boolean(navigator.canShare?.({ files: [file] }));

/* The URL of the answer: an example has its own, any other answer has that of the app. */
function sharedAddress(answer) {
  const { origin, pathname } = location, example = answer.dataset.example || (!("outdated" in answer.dataset) && page.forms.correct?.example()) || "";
  return `${origin}${pathname}${example && `#correct/${example}`}`;
}
const pictureOf = async (answer) => new File([await onePicture(answer, isFaceless(answer), sharedAddress(answer))], "fixmypose.jpg", { type: "image/jpeg" });

async function save(answer) {
  const count = blurredFaces(answer);
  page.save(await pictureOf(answer), "fixmypose.jpg");
  if (count) say("share.saved_faceless", { count });
  else say("share.saved");
}

/* Share something: true if it was shared or cancelled, false if this browser cannot share it. */
async function handOn(what) {
  try {
    await navigator.share(what);
    say("share.shared");
  } catch (error) {
    if (error.name === "InvalidStateError") return true; // the last share dialog is still open
    if (error.name !== "AbortError") return false;
    say("share.unshared");
  }
  return true;
}
async function share(answer) {
  const text = `${written(answer)}\n\nFixMyPose: ${sharedAddress(answer)}`;
  if (navigator.share) {
    const file = await pictureOf(answer).catch(() => null), what = file && shareable(file) ? { files: [file], text } : { text };
    if (await handOn(what)) return;
  }
  say(await copied(text, answer.querySelector("[data-action=share]")) ? "share.copied" : "answer.copy_failed");
}

element.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-action=share], [data-action=save]");
  if (button) ({ share, save })[button.dataset.action](button.closest(".fmp-answer"));
});

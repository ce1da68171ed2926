/* What an answer becomes outside of the page: a saved picture, and the same handed on with the steps and an address. */
const shareable = (file) => Boolean(navigator.canShare?.({ files: [file] }));

/* Where the answer is found again: an example has an address of its own, any other answer that of the app. */
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

/* Hand something on: true where somebody took it or thought better of it, and false where this browser does not do that. */
async function handOn(what) {
  try {
    await navigator.share(what);
    say("share.shared");
  } catch (error) {
    if (error.name === "InvalidStateError") return true; // the last one is still open
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

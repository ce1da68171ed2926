/* Dialogs: an enlarged picture, the reason for skipping, and the confirmation of a deletion. */
const dialogs = { enlarged: find(".fmp-enlarged"), skipping: find(".fmp-skipping"), deleting: find(".fmp-deleting") };
let opened = ""; // the object URL of the enlarged picture, for another tab

async function enlarge(button) {
  const picture = button.querySelector("img") || button.closest(".fmp-candidate").querySelector("img");
  const image = dialogs.enlarged.querySelector("img"), link = dialogs.enlarged.querySelector("a");
  const cut = picture.closest(".fmp-cut"), frame = image.parentElement;
  frame.classList.toggle("fmp-cut", Boolean(cut));
  frame.style.cssText = cut ? cut.style.cssText : "";
  dialogs.enlarged.querySelector(".fmp-whole-switch").hidden = !cut;
  image.src = picture.src;
  image.alt = button.getAttribute("aria-label").split(":")[0];
  dialogs.enlarged.showModal();
  /* Browsers open no data URI in a tab, but they open an object URL. */
  opened = URL.createObjectURL(await (await fetch(picture.src)).blob());
  link.href = opened;
}
dialogs.enlarged.addEventListener("close", () => { URL.revokeObjectURL(opened); dialogs.enlarged.querySelector("a").removeAttribute("href"); });

Object.assign(actions, {
  enlarge,
  close: (button) => button.closest("dialog").close(),
  skip: () => {
    const { dataset } = dialogs.skipping;
    if (dataset.token !== work.task.token) dialogs.skipping.querySelector("form").reset(); // a rejected skip leaves its input
    dataset.token = work.task.token;
    dialogs.skipping.querySelector("[role=alert]").textContent = "";
    dialogs.skipping.showModal();
  },
  "skip-sure": () => {
    const { reason, comment } = fields(dialogs.skipping.querySelector("form"));
    if (!reason) { page.write(dialogs.skipping.querySelector("[role=alert]"), "skips.missing"); dialogs.skipping.querySelector("input").focus(); return; }
    if (reason === "problem" && !comment?.trim()) { page.write(dialogs.skipping.querySelector("[role=alert]"), "skips.say_what"); dialogs.skipping.querySelector("textarea").focus(); return; }
    dialogs.skipping.close();
    work.press("skip", { ...work.about(work.task), reason, comment });
  },
  delete: () => dialogs.deleting.showModal(),
  forget: () => { dialogs.deleting.close(); work.press("forget"); },
});
Object.values(dialogs).forEach((dialog) => dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); }));

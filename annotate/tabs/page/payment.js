/* Payment: the code of a finished batch stays visible until the start page, which lists all of them, is shown. */
(() => {
  const completed = find(".fmp-completed");
  document.addEventListener("fmp:answered", ({ detail: { answer } }) => {
    if (answer.completion) {
      completed.innerHTML = answer.completion;
      page.apply(completed);
    } else if (answer.outcome === "shown" && answer.view === "") completed.replaceChildren();
    find(".fmp-delete-payment").hidden = !participant;
  });
  actions.copy = async (button) => {
    try {
      await navigator.clipboard.writeText(button.dataset.code);
      say("payment.copied", { code: button.dataset.code });
    } catch { /* not available without HTTPS: the code is selected, to be copied by hand */
      getSelection().selectAllChildren(button.parentElement.querySelector("code"));
      say("payment.selected");
    }
  };
})();

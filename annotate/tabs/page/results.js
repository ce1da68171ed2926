/* Results: a file that the server made is handed to the browser to save. */
(() => {
  places.look = () => "results";
  actions.download = (button) => work.press("download", { form: button.dataset.form });
  document.addEventListener("fmp:answered", ({ detail: { answer } }) => {
    if (answer.outcome !== "part" || answer.part !== "file") return;
    const bytes = Uint8Array.from(atob(answer.data), (letter) => letter.charCodeAt(0));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes], { type: answer.type }));
    link.download = answer.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    say("results.downloaded", { name: answer.name });
  });
})();

/* Own words on their way to the server: what the card "See it done" asks is sent from here. */
document.addEventListener("fmp:own-words", ({ detail }) => {
  props.value = detail;
  trigger("submit");
});

/* A visitor's own text on its way to the server: the card "See it done" sends its requests from here. */
document.addEventListener("fmp:own-words", ({ detail }) => {
  props.value = detail;
  trigger("submit");
});

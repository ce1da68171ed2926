/* A visitor's own text on its way to the server: the card "Try your own words" sends its requests from here. */
document.addEventListener("fmp:own-words", ({ detail }) => {
  props.value = detail;
  trigger("submit");
});

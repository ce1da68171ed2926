/* The result of a visitor's own text, passed to the card that requested it. */
watch("value", () => document.dispatchEvent(new CustomEvent("fmp:tried", { detail: props.value })));

/* What came of somebody's own words, handed on to the card that asked. */
watch("value", () => document.dispatchEvent(new CustomEvent("fmp:tried", { detail: props.value })));

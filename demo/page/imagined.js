/* The text about an imagined target, passed to the form that asked for it. */
watch("value", () => { if (props.value) document.dispatchEvent(new CustomEvent("fmp:imagined", { detail: props.value })); });

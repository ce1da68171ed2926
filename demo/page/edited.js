/* An edited text, passed to the form that asked for it. */
watch("value", () => { if (props.value) document.dispatchEvent(new CustomEvent("fmp:edited", { detail: props.value })); });

/* The position of a request in the queue: Gradio's client receives it from the server and does not expose it. */
(() => {
  const fetched = window.fetch.bind(window);
  const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail, cancelable: true }));

  window.fetch = async (...request) => {
    const response = await fetched(...request);
    const address = String(request[0]?.url ?? request[0]);
    if (!response.ok) return response;
    if (address.includes("/queue/join")) {
      response.clone().json().then(({ event_id: id }) => tell("fmp:joined", id), () => {});
    }
    if (!address.includes("/queue/data") || !response.body) return response;
    const [client, ours] = response.body.tee();
    listen(ours).catch(() => { /* the client itself reports a lost connection */ });
    return new Response(client, response);
  };

  async function listen(stream) {
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      lines.filter((line) => line.startsWith("data:")).forEach((line) => heard(JSON.parse(line.slice(5))));
    }
  }

  /* `place` counts from 1; 0 is being served. Of the steps of its processing, `number` of `of` is under way. */
  function heard({ msg, event_id: id, rank, queue_size: size, progress_data: steps }) {
    if (msg === "estimation" && rank != null) tell("fmp:queue", { id, place: rank + 1, size });
    if (msg === "process_starts") tell("fmp:queue", { id, place: 0, size: 0 });
    if (msg === "progress" && steps?.length) tell("fmp:progress", { id, number: steps[0].index, of: steps[0].length });
  }
})();

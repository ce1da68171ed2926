/* State that survives a reload and the back button: texts and photographs, in the storage of this tab only. */
(() => {
  const PREFIX = "fixmypose.kept.";

  /* The storage of one form. In a private window, or if a value is too large, it is silently not stored: only a reload loses it. */
  window.FMP.kept = (form) => {
    const name = (part) => `${PREFIX}${form}.${part}`;
    const writes = {}; // number of writes or removals of each part: a slow write must not overwrite a later one
    const written = (part) => { writes[part] = (writes[part] || 0) + 1; return writes[part]; };
    const shelf = {
      /* Whether there was room for it. */
      put(part, value) {
        written(part);
        try {
          sessionStorage.removeItem(name(part));
          if (value != null) sessionStorage.setItem(name(part), JSON.stringify(value));
          return true;
        } catch { return false; }
      },
      get(part) {
        try { return JSON.parse(sessionStorage.getItem(name(part))); } catch { return null; }
      },
      /* Remove every part whose name begins with this. */
      clear(beginning = "") {
        Object.keys(writes).filter((part) => part.startsWith(beginning)).forEach(written);
        try { Object.keys(sessionStorage).filter((key) => key.startsWith(name(beginning))).forEach((key) => sessionStorage.removeItem(key)); } catch { /* nothing was stored */ }
      },

      /* Store the photograph of a slot, its file as text; false if there is no room. */
      async putPhoto(part, photo) {
        if (!photo) return shelf.put(part, null);
        const write = written(part);
        const { file, url, ...details } = photo;
        const data = await new Promise((done) => {
          const reader = new FileReader();
          reader.onload = reader.onerror = () => done(reader.result);
          reader.readAsDataURL(file);
        });
        return write !== writes[part] || Boolean(data) && shelf.put(part, { ...details, data });
      },
      async photo(part) {
        const { data, ...details } = shelf.get(part) || {};
        return data ? { ...details, file: await (await fetch(data)).blob() } : null;
      },
    };
    return shelf;
  };
})();

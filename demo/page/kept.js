/* What survives a reload and the back button: texts and photographs, kept in the storage of this tab alone. */
(() => {
  const PREFIX = "fixmypose.kept.";

  /* The shelf of one form. A private window, or what is too large, is kept nowhere, and nobody is told: nothing is lost by it but a reload. */
  window.FMP.kept = (form) => {
    const name = (part) => `${PREFIX}${form}.${part}`;
    const writes = {}; // of each part how often it was written or removed: what takes its time does not undo what came after it
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
      /* Remove every part whose name begins so. */
      clear(beginning = "") {
        Object.keys(writes).filter((part) => part.startsWith(beginning)).forEach(written);
        try { Object.keys(sessionStorage).filter((key) => key.startsWith(name(beginning))).forEach((key) => sessionStorage.removeItem(key)); } catch { /* nothing was kept */ }
      },

      /* A photograph of a slot, its file written out as text; false where there was no room for it. */
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

/* What survives a reload and the back button: texts and photographs, kept in the storage of this tab alone. */
(() => {
  const PREFIX = "fixmypose.kept.";

  /* The shelf of one form. A private window, or what is too large, is kept nowhere, and nobody is told: nothing is lost by it but a reload. */
  window.FMP.kept = (form) => {
    const name = (part) => `${PREFIX}${form}.${part}`;
    const shelf = {
      put(part, value) {
        try {
          if (value == null) sessionStorage.removeItem(name(part));
          else sessionStorage.setItem(name(part), JSON.stringify(value));
        } catch { shelf.put(part, null); }
      },
      get(part) {
        try { return JSON.parse(sessionStorage.getItem(name(part))); } catch { return null; }
      },
      clear() {
        try { Object.keys(sessionStorage).filter((key) => key.startsWith(name(""))).forEach((key) => sessionStorage.removeItem(key)); } catch { /* nothing was kept */ }
      },

      /* A photograph of a slot, its file written out as text. */
      async putPhoto(part, photo) {
        if (!photo) { shelf.put(part, null); return; }
        const { file, url, ...told } = photo;
        const data = await new Promise((done) => {
          const reader = new FileReader();
          reader.onload = reader.onerror = () => done(reader.result);
          reader.readAsDataURL(file);
        });
        shelf.put(part, data && { ...told, data });
      },
      async photo(part) {
        const { data, ...told } = shelf.get(part) || {};
        return data ? { ...told, file: await (await fetch(data)).blob() } : null;
      },
    };
    return shelf;
  };
})();

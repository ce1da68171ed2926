/* The page's voice: the browser's own, in the language of the page; where it has none, a short tone. */
(() => {
  const page = window.FMP, SPOKEN = { en: "en-US", hi: "hi-IN" };
  let sound = null;

  /* Say words aloud in place of what is being said; `fmp:spoken` tells of them, heard or not. */
  page.speak = (words, { rate = 1 } = {}) => {
    if (!words) return;
    const voice = window.speechSynthesis, code = page.language;
    const own = voice?.getVoices().filter(({ lang }) => lang.replace("_", "-").toLowerCase().startsWith(code)) || [];
    if (own.length) {
      const said = new SpeechSynthesisUtterance(words);
      said.lang = SPOKEN[code] || code;
      said.voice = own.find(({ lang, localService }) => localService && lang.replace("_", "-") === said.lang) || own[0];
      said.rate = rate;
      voice.cancel();
      voice.speak(said);
    } else tone();
    document.dispatchEvent(new CustomEvent("fmp:spoken", { detail: words }));
  };
  page.hush = () => window.speechSynthesis?.cancel();

  function tone() {
    try {
      sound ??= new AudioContext();
      const played = sound.createOscillator(), level = sound.createGain();
      level.gain.value = 0.15;
      played.frequency.value = 880;
      played.connect(level).connect(sound.destination);
      played.start();
      played.stop(sound.currentTime + 0.15);
    } catch { /* a device without sound; the words stand on the page */ }
  }
})();

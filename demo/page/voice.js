/* Speech of the page: the browser's own, in the requested language; without a voice for it, a short tone. */
(() => {
  const page = window.FMP, SPOKEN = { en: "en-US", hi: "hi-IN" };
  let sound = null, isUnlocked = false;

  /* Voices may load late, so they are awaited once. */
  function voices() {
    const ready = window.speechSynthesis?.getVoices() || [];
    if (ready.length || !window.speechSynthesis) return Promise.resolve(ready);
    return new Promise((resolve) => {
      const finish = () => resolve(speechSynthesis.getVoices());
      speechSynthesis.addEventListener("voiceschanged", finish, { once: true });
      setTimeout(finish, 1500);
    });
  }
  const named = ({ lang }) => lang.replace("_", "-");
  function fitting(all, speech) {
    const own = all.filter((voice) => named(voice).toLowerCase().startsWith(speech.slice(0, 2)));
    return own.find((voice) => named(voice) === speech && voice.localService) || own.find((voice) => named(voice) === speech) || own[0];
  }

  /* A voice for a language such as "hi-IN"; undefined if the device has none. */
  page.voiceOf = async (speech) => fitting(await voices(), speech);
  page.speech = () => SPOKEN[page.language] || page.language;

  /* Speak words in the page's language instead of the current ones; `fmp:spoken` reports them, audible or not. */
  page.speak = (words, { rate = 1 } = {}) => {
    if (!words) return;
    const voice = fitting(window.speechSynthesis?.getVoices() || [], page.speech());
    if (voice) {
      const utterance = new SpeechSynthesisUtterance(words);
      Object.assign(utterance, { lang: page.speech(), voice, rate });
      speechSynthesis.cancel();
      speechSynthesis.speak(utterance);
    } else tone();
    document.dispatchEvent(new CustomEvent("fmp:spoken", { detail: words }));
  };
  /* Phones allow speech and sound only after a press: each press that later leads to speech calls this. */
  page.unlockVoice = () => {
    try {
      sound ??= new AudioContext();
      if (sound.state !== "running") sound.resume().catch(() => {}); // again after a call or a locked screen
      if (!isUnlocked) speechSynthesis.speak(Object.assign(new SpeechSynthesisUtterance(" "), { volume: 0 }));
      isUnlocked = true;
    } catch { /* a device without sound or speech */ }
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
    } catch { /* a device without sound; the words are on the page */ }
  }
  voices(); // so that they are loaded before the first words
})();

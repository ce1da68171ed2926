/* The page's voice: the browser's own, in the language that is asked for; where it has none, a short tone. */
(() => {
  const page = window.FMP, SPOKEN = { en: "en-US", hi: "hi-IN" };
  let sound = null, isUnlocked = false;

  /* Voices may arrive late, so they are waited for once. */
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

  /* A voice for a language, "hi-IN" say, undefined where the device has none. */
  page.voiceOf = async (speech) => fitting(await voices(), speech);
  page.speech = () => SPOKEN[page.language] || page.language;

  /* Say words in the page's language in place of what is being said; `fmp:spoken` tells of them, heard or not. */
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
  /* Phones let a page begin to speak or sound within a press alone: each press that leads to words later on calls this. */
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
    } catch { /* a device without sound; the words stand on the page */ }
  }
  voices(); // so that they are there when the first words are
})();

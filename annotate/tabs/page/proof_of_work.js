/* Proof of work for new guests when very many arrive at once: a number that, appended to the puzzle, gives a SHA-256 that
   begins with the required number of zero bits. The browser's own SHA-256 is not available without HTTPS. */
const ROUNDS = [], START = [];
for (let one = 2; ROUNDS.length < 64; one += 1) {
  if (Array.from({ length: one - 2 }, (_, less) => less + 2).some((less) => one % less === 0)) continue;
  if (START.length < 8) START.push((one ** 0.5 * 2 ** 32) | 0);
  ROUNDS.push((Math.cbrt(one) * 2 ** 32) | 0);
}
const turned = (word, by) => (word >>> by) | (word << (32 - by));
const block = new Int32Array(64);

/* The first 32 bits of the SHA-256 of at most 55 ASCII letters. */
function firstWord(text) {
  block.fill(0, 0, 16);
  for (let at = 0; at < text.length; at += 1) block[at >> 2] |= text.charCodeAt(at) << (24 - 8 * (at % 4));
  block[text.length >> 2] |= 0x80 << (24 - 8 * (text.length % 4));
  block[15] = 8 * text.length;
  for (let at = 16; at < 64; at += 1) {
    const near = block[at - 2], far = block[at - 15];
    block[at] = block[at - 16] + block[at - 7] + (turned(far, 7) ^ turned(far, 18) ^ (far >>> 3)) + (turned(near, 17) ^ turned(near, 19) ^ (near >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = START;
  for (let at = 0; at < 64; at += 1) {
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[at] + block[at]) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  return (a + START[0]) >>> 0;
}

/* In small batches, so that the page stays responsive; in larger ones in a hidden page, since pauses are long there. */
work.solve = (puzzle, then) => {
  const spare = 32 - Number(puzzle.slice(0, 2));
  let answer = 0;
  (function search() {
    const until = performance.now() + (document.hidden ? 400 : 30);
    while (performance.now() < until) {
      for (const last = answer + 100; answer < last; answer += 1) {
        if (firstWord(`${puzzle}:${answer}`) >>> spare === 0) { then({ puzzle, answer: String(answer) }); return; }
      }
    }
    setTimeout(search);
  })();
};

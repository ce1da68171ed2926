/* The demonstration: the figure performs the steps of the answer, or a visitor's own text, and shows how close to the goal they lead.

Other scripts use `document.querySelector(".fmp-see canvas").figure`: `now()` returns the state it shows, `steps()` its steps
with their durations, `poseAt(at)` the pose at a time, counted in steps from 0, and `drawAt(at)` draws that pose until
another one is shown. */
const doneCard = (() => {
  const REST = 450, LAST_REST = 900, STILL = 1600; // milliseconds: between two steps, after the last one, and per step with reduced motion
  const TURN = 0.12, TILT = 0.07, PRESS = Math.PI / 4, DRAG = 0.009; // radians: per key, per button, and per pixel
  const PATIENCE = 120_000; // milliseconds without an answer to a visitor's own text
  const NEAR = 0.03; // metres: within it every joint is on the goal
  const FAR = 0.07; // metres: shorter paths of joints are not drawn
  const WAYS = [[0.95, "done.way_there"], [0.6, "done.way_most"], [0.4, "done.way_half"], [0.1, "done.way_some"], [-0.005, "done.way_hardly"], [-Infinity, "done.way_away"]];
  const { minus, length, between } = bodyMotion;
  const signed = (percent) => `${percent < 0 ? "−" : ""}${Math.abs(percent)}`;

  /* `answer` is the section of the answer: the figure, the buttons and the own text are in several places of it. */
  function open(answer) {
    const find = (selector) => answer.querySelector(selector), see = find(".fmp-see"), canvas = see.querySelector("canvas"), figure = movingFigure(canvas), play = find("[data-action=play]");
    const answers = JSON.parse(see.dataset.played), own = find(".fmp-see-own"), area = own.querySelector("textarea"), alert = own.querySelector(".fmp-alert");
    const ends = new AbortController(); // removes the listeners: parts of an answer may stay in the page for the next one
    let demonstration = answers, moves = [], at = 0, playing = false, ended = false, frame = 0, moving = 0, hasPressed = false;
    let doing = null; // the step to whose end the figure is moving
    let followed = -1; // the step that the list was told
    const isOwn = () => demonstration !== answers;

    /* ---- display ---- */
    function load(text) {
      stop();
      demonstration = text;
      moves = text.steps.map(({ from, to }) => move(text.poses[from], text.poses[to]));
      at = 0;
      ended = false;
      followed = -1;
      figure.show(text, text.poses, text.target);
      list();
      way();
      tell();
      draw();
    }
    function move(from, to) {
      const far = Math.max(...to.map((joint, index) => length(minus(joint, from[index]))));
      return { at: between(demonstration, from, to), milliseconds: Math.min(900 + 900 * far, 2100) };
    }
    const arrives = () => demonstration.target?.every((joint, index) => length(minus(joint, demonstration.poses.at(-1)[index])) < NEAR) ?? false;
    const step = () => (doing !== null ? doing : ended || at === 0 && !playing ? -1 : Math.min(Math.max(Math.ceil(at) - 1, playing && Number.isInteger(at) ? at : 0), moves.length - 1));
    const eased = (share) => share * share * (3 - 2 * share);
    function poseAt(time) {
      if (time >= moves.length) return demonstration.poses.at(-1);
      const number = Math.floor(time);
      return moves[number].at(eased(time - number));
    }
    /* The paths of the joints of the step that move furthest, one of each side. */
    function ways(number) {
      if (number < 0) return [];
      const { lit, from, to } = demonstration.steps[number], [first, last] = [demonstration.poses[from], demonstration.poses[to]];
      const furthest = ["left", "right", ""].map((side) => {
        const those = lit.filter((name) => (side ? name.startsWith(side) : !/^(left|right)/.test(name))).map((name) => demonstration.joints.indexOf(name));
        return those.sort((one, other) => length(minus(last[other], first[other])) - length(minus(last[one], first[one])))[0];
      }).filter((joint) => joint !== undefined && length(minus(last[joint], first[joint])) > FAR);
      const sided = furthest.filter((joint) => /^(left|right)/.test(demonstration.joints[joint]));
      return (sided.length ? sided : furthest).map((joint) => Array.from({ length: 15 }, (_, index) => moves[number].at(index / 14)[joint]));
    }
    function draw() { drawStep(poseAt(at), step()); }
    function drawStep(pose, number) {
      figure.draw(pose, { lit: new Set(number < 0 ? [] : demonstration.steps[number].lit), ways: ways(number), letters: { left: page.say("done.letter_left"), right: page.say("done.letter_right") } });
    }
    /* The step in words: below the figure, as the figure's description, and in the list. */
    function tell() {
      const number = step(), { text = "", words = null } = demonstration.steps[number] || {}, inList = isOwn() ? null : counted(words);
      const places = inList || { number: number + 1, of: moves.length }, [end, figureEnd] = arrives() ? ["done.arrived", "done.figure_arrived"] : ["done.end", "done.figure_end"];
      const [title, line] = see.querySelectorAll(".fmp-see-now span");
      line.lang = demonstration.language;
      line.textContent = inList ? "" : text; // otherwise it is in the list
      if (number >= 0 && !isOwn() && !inList) page.clear(title); // no step describes the last move to the goal
      else page.write(title, number < 0 ? (at === 0 ? "done.start" : end) : inList ? "done.step_of" : "done.step", places);
      page.write(canvas, number >= 0 ? "done.figure_step" : at === 0 ? "done.figure_start" : figureEnd, { ...places, text }, "aria-label");
      answer.querySelectorAll(".fmp-see-steps button").forEach((button, index) => {
        if (index === number) button.setAttribute("aria-current", "step");
        else button.removeAttribute("aria-current");
      });
      answer.classList.toggle("fmp-see-playing", playing);
      page.write(find(".fmp-see-word"), playing ? "done.pause" : at >= moves.length && moves.length ? "done.again" : "done.play");
      play.setAttribute("aria-disabled", String(!moves.length));
      if (isOwn()) for (const [action, off] of [["backward", at <= 0], ["forward", at >= moves.length]]) find(`[data-action=${action}]`).setAttribute("aria-disabled", String(off)); // the button keeps its focus
      else if (number !== followed) { followed = number; followFigure(words); }
      else steer();
      if (hasPressed) say(text);
    }
    /* Read aloud only on request, and each step once. */
    let spokenStep = "";
    function say(text) {
      const number = step();
      if (playing && number < 0) return;
      const key = number < 0 ? at : number;
      if (spokenStep === key) return;
      spokenStep = key;
      const [title, line] = [...see.querySelectorAll(".fmp-see-now span")].map((span) => span.cloneNode(true));
      line.textContent = text;
      find(".fmp-see-status").replaceChildren(title, " ", line);
    }
    /* The own text replaces the list while the figure demonstrates it. */
    function list() {
      answer.classList.toggle("fmp-owning", isOwn());
      find(".fmp-see-told").hidden = !isOwn();
      find(".fmp-where").hidden = isOwn();
      find(".fmp-see-steps").replaceChildren(...(isOwn() ? demonstration.steps : []).map(({ text }, index) => {
        const item = document.createElement("li"), button = document.createElement("button"), number = document.createElement("b"), words = document.createElement("span");
        button.type = "button";
        button.dataset.action = "jump";
        number.textContent = index + 1;
        words.lang = demonstration.language;
        words.textContent = text;
        button.append(number, words);
        item.append(button);
        return item;
      }));
      const unmoved = find(".fmp-see-unmoved");
      unmoved.hidden = !demonstration.unmoved.length;
      unmoved.querySelector("ul").replaceChildren(...demonstration.unmoved.map((text) => {
        const item = document.createElement("li");
        item.lang = demonstration.language;
        item.textContent = text;
        return item;
      }));
    }
    /* The answer's own figure knows the goal and ends on it; another text may lead anywhere. */
    function way() {
      const bar = find(".fmp-see-way-bar"), line = find(".fmp-see-way-said"), share = demonstration.way, known = typeof share === "number";
      bar.hidden = !known;
      bar.classList.toggle("fmp-away", known && share < 0);
      if (!known) { page.write(line, "done.way_unknown"); return; }
      const percent = Math.round(share * 100), key = percent < 0 ? "done.way_backward" : "done.way_value", places = { percent: signed(percent), words: page.inEach(WAYS.find(([least]) => percent >= Math.round(least * 100))[1]) };
      bar.querySelector("span").style.setProperty("--w", `${Math.min(100, Math.abs(percent))}%`);
      bar.setAttribute("aria-valuenow", Math.min(100, Math.max(0, percent)));
      page.write(line, key, places);
      page.write(bar, key, places, "aria-valuetext");
    }

    /* ---- movement ---- */
    function stop() {
      cancelAnimationFrame(frame);
      clearTimeout(moving);
      playing = false;
      doing = null;
    }
    function goOn() {
      if (at >= moves.length) { moving = setTimeout(rest, LAST_REST); return; }
      tell();
      if (!page.still()) { run(Math.floor(at) + 1, () => { moving = setTimeout(goOn, REST / speed()); }); return; }
      at = Math.floor(at) + 1;
      tell();
      draw();
      moving = setTimeout(goOn, STILL / speed());
    }
    function rest() {
      stop();
      ended = true;
      tell();
      draw();
    }
    const speed = () => Number(find("[name=fmp-see-speed]").value);
    /* Move to the end of one step, or back to its beginning; `then` is called after it. */
    function run(to, then) {
      let before = performance.now();
      const from = Math.min(at, to), { milliseconds } = moves[Math.min(Math.floor(from), moves.length - 1)], way = Math.sign(to - at);
      const next = (now) => {
        at += way * Math.min(Math.max(now - before, 0), 100) * speed() / milliseconds; // the timestamp of a frame may precede its request
        before = now;
        const there = way > 0 ? at >= to : at <= to;
        if (there) at = to;
        draw();
        if (there) { tell(); then(); } else frame = requestAnimationFrame(next);
      };
      frame = requestAnimationFrame(next);
    }
    function start() {
      if (!moves.length) return;
      if (at >= moves.length) at = 0;
      ended = false;
      spokenStep = "";
      playing = true;
      goOn();
    }
    function pause() {
      stop();
      tell();
      draw();
    }
    /* Move one step on or back, and stay there. */
    function go(to) {
      stop();
      ended = false;
      spokenStep = "";
      const goal = Math.min(Math.max(to, 0), moves.length);
      if (goal === at) return;
      if (page.still()) at = goal;
      else {
        if (Math.abs(goal - at) > 1) at = goal + Math.sign(at - goal);
        doing = goal - 1;
        run(goal, () => { doing = null; tell(); draw(); });
      }
      tell();
      draw();
    }
    const byStep = { forward: () => (isOwn() ? go(Math.floor(at) + 1) : onward()), backward: () => (isOwn() ? go(Math.ceil(at) - 1) : backward()) };
    /* Whether it moves on to the goal after the last step of the text. */
    const more = () => demonstration.steps.at(-1)?.words === null && Math.ceil(at) < moves.length;
    function jump(number) {
      stop();
      if (!page.still()) at = number;
      go(number + 1);
    }
    const turn = (yaw, tilt) => { figure.turn(yaw, tilt); draw(); };
    const acts = {
      ...byStep,
      play: () => { hasPressed = true; if (playing) pause(); else start(); },
      jump: (button) => jump([...answer.querySelectorAll("[data-action=jump]")].indexOf(button)),
      "turn-left": () => turn(PRESS, 0), "turn-right": () => turn(-PRESS, 0), front: () => { figure.front(); draw(); },
      "answers-text": () => { alert.replaceChildren(); load(answers); play.focus(); },
    };
    answer.addEventListener("click", (event) => {
      const button = event.target.closest("[data-action]"), act = acts[button?.dataset.action];
      if (!act) return;
      hasPressed = true;
      act(button);
    }, ends);
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const act = { ArrowLeft: () => turn(TURN, 0), ArrowRight: () => turn(-TURN, 0), ArrowUp: () => turn(0, TILT), ArrowDown: () => turn(0, -TILT), Home: acts.front, " ": acts.play, ".": byStep.forward, ",": byStep.backward }[event.key];
      if (!act) return;
      event.preventDefault();
      hasPressed = true;
      act();
    }, ends);
    let held = null;
    canvas.addEventListener("pointerdown", (event) => { if (event.button === 0) { held = [event.pointerId, event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); } }, ends);
    canvas.addEventListener("pointermove", (event) => {
      if (held?.[0] !== event.pointerId) return;
      turn(-(event.clientX - held[1]) * DRAG, event.pointerType === "touch" ? 0 : (event.clientY - held[2]) * DRAG); // a vertical finger movement scrolls the page
      held = [event.pointerId, event.clientX, event.clientY];
    }, ends);
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(end, () => { held = null; }, ends);
    const sized = new ResizeObserver(() => draw());
    document.addEventListener("visibilitychange", () => { if (document.hidden && playing) pause(); }, ends);
    sized.observe(canvas);

    /* Plays once when it comes into view, unless reduced motion is set. */
    const inView = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return;
      inView.disconnect();
      if (!page.still() && !hasPressed && at === 0 && !playing) start();
    }, { threshold: 0.75 });
    inView.observe(canvas);

    /* ---- the visitor's own text ---- */
    const submit = own.querySelector("button"), line = own.querySelector(".fmp-see-busy");
    let sent = null, waiting = 0;
    function busy(now) {
      sent = now;
      clearTimeout(waiting);
      if (now) waiting = setTimeout(() => refuse("faults.busy"), PATIENCE);
      submit.setAttribute("aria-disabled", String(Boolean(now)));
      own.setAttribute("aria-busy", String(Boolean(now)));
      if (now) page.write(line, "done.own_working");
      else page.clear(line);
    }
    function refuse(text, places) {
      busy(null);
      page.tell(alert, text, places);
      area.focus();
    }
    own.addEventListener("submit", (event) => {
      event.preventDefault();
      if (sent) return;
      const text = area.value.trim(), longest = Number(see.dataset.longest);
      alert.replaceChildren();
      if (!text) { refuse("errors.description_empty"); return; }
      if (text.length > longest) { refuse("errors.description_too_long", { limit: longest }); return; }
      hasPressed = true;
      busy(text);
      document.dispatchEvent(new CustomEvent("fmp:own-words", { detail: { text, current: answers.poses[0], target: answers.target, visibility: answers.visibility } }));
    }, ends);
    area.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) own.requestSubmit(); }, ends);

    load(answers);
    return {
      answered(reply) {
        if (!sent) return;
        if (reply.refusal) { refuse(reply.refusal); return; }
        busy(null);
        load(reply.played);
        if (find(".fmp-figures").dataset.view === "pictures") showView("all");
        if (moves.length) { find(".fmp-board").scrollIntoView({ block: "start", behavior: page.still() ? "auto" : "smooth" }); start(); } else refuse("done.nothing_moves");
      },
      failed() { if (sent) refuse("faults.busy"); },
      close() { stop(); clearTimeout(waiting); ends.abort(); sized.disconnect(); inView.disconnect(); },
      relabel() { tell(); draw(); },
      /* The answer's steps in another language: if they are the same moves, the figure stays as it is. */
      retell(spoken) {
        const moved = ({ steps }) => JSON.stringify(steps.map(({ from, to }) => [from, to])), same = moved(answers) === moved(spoken);
        Object.assign(answers, spoken);
        if (isOwn()) return;
        if (!same) { load(answers); return; }
        list();
        tell();
      },
      /* Requests of the list of steps. */
      does(words) {
        hasPressed = true;
        if (isOwn()) load(answers);
        const number = words ? answers.steps.findIndex((one) => overlap(one.words, words)) : -1;
        if (number < 0) pause();
        else { followed = number; jump(number); }
      },
      rests() { if (playing || doing !== null) pause(); },
      begins() { followed = -1; go(0); },
      ends() { if (!more()) return false; go(moves.length); return true; },
      more, isOwn,
      moves: () => playing || doing !== null,
      ended: () => Boolean(moves.length) && at >= moves.length,
      figure, now: () => ({ at, playing, pose: poseAt(at) }),
      steps: () => demonstration.steps.map(({ text, words }, index) => ({ text, words, milliseconds: moves[index].milliseconds })),
      poseAt,
      drawAt: (time) => drawStep(poseAt(time), Math.min(Math.floor(time), moves.length - 1)),
    };
  }
  return open;
})();

window.FMP.movingFigure = movingFigure; // for other scripts
let done = null; // the card of the current answer
function readyDone() {
  const canvas = element.querySelector(".fmp-see canvas");
  done?.close(); // of the previous answer
  done = null;
  if (canvas && element.querySelector(".fmp-figures")) done = canvas.figure = doneCard(element.querySelector(".fmp-answer"));
}
document.addEventListener("fmp:tried", ({ detail }) => { if (detail) done?.answered(JSON.parse(detail)); });
document.addEventListener("fmp:untried", () => done?.failed());
document.addEventListener("fmp:trouble", () => done?.failed());
document.addEventListener("fmp:language", () => done?.relabel());

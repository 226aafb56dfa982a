// Soft synthesised sounds: a tick for a move, a rising tone for a capture, a chord at the end.
// Also handles the sound switch in the header, and stores its setting.

const KEY = "kibitz.sound";
let context = null;
let on = stored();

function stored() {
  try { return localStorage.getItem(KEY) !== "off"; } catch { return true; }
}

/** Play a note: pitch in hertz, when and how long in seconds. */
function note(pitch, delay = 0, length = 0.12, loud = 0.05) {
  const start = context.currentTime + delay;
  const tone = context.createOscillator();
  const gain = context.createGain();
  tone.type = "sine";
  tone.frequency.value = pitch;
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(loud, start + 0.008);
  gain.gain.exponentialRampToValueAtTime(0.0004, start + length);
  tone.connect(gain).connect(context.destination);
  tone.start(start);
  tone.stop(start + length + 0.02);
}

const SOUNDS = {
  move: (player) => note(player ? 392 : 440, 0, 0.1),
  capture: (player) => { note(player ? 494 : 554, 0, 0.14); note(player ? 659 : 740, 0.07, 0.22); },
  end: () => [523, 659, 784].forEach((pitch, i) => note(pitch, i * 0.11, 0.5, 0.04)),
  refused: () => note(196, 0, 0.14, 0.035),
};

/** Play a sound if sounds are on. Browsers allow it only after the first click or key. */
export function play(name, player = 0) {
  if (!on || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  SOUNDS[name](player);
}

/** Make the switch in the header work. */
export function setUpSound(button) {
  const show = () => {
    button.setAttribute("aria-pressed", String(on));
    button.title = on ? "Sound is on" : "Sound is off";
  };
  button.addEventListener("click", () => {
    on = !on;
    try { localStorage.setItem(KEY, on ? "on" : "off"); } catch { /* works without */ }
    show();
    play("move");
  });
  show();
}

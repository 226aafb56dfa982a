// Which games still have searches to prepare: a line on the start page and where a game is set up.
// A fresh installation from source compiles them in the background; the weak levels need none of them.

import * as api from "../shell/api.js";
import { h, say, shown } from "../shell/dom.js";

const POLL_MS = 2000;
const READY = "All levels are ready.";

const counted = ({ title, ready, searches }) => `${title} ${ready} of ${searches}`;

/** Return a line that says what is being prepared, of one game or of all; it is empty where nothing is. */
export function warmUpLine(game = null) {
  const words = h("span"), bar = h("progress", { "aria-label": "Searches ready" });
  const el = h("p", { cls: "asking warm-up", role: "status", hidden: true }, words, bar);
  let isWaiting = false;

  function show(waiting) {
    if (waiting.length) {
      isWaiting = true;
      bar.max = waiting.reduce((sum, each) => sum + each.searches, 0);
      bar.value = waiting.reduce((sum, each) => sum + each.ready, 0);
      const which = game ? `${waiting[0].ready} of ${waiting[0].searches}` : waiting.map(counted).join(", ");
      say(words, `Preparing the strong levels, analyses and searches: ${which}. Levels 1 to 5 play at once.`);
    } else if (isWaiting) say(words, READY);
    shown(el, isWaiting);
    shown(bar, waiting.length > 0);
  }

  async function poll() {
    const waiting = await api.warmUp().catch(() => []);
    const ours = game ? waiting.filter((each) => each.game === game) : waiting;
    show(ours);
    if (ours.length) setTimeout(() => el.isConnected && poll(), POLL_MS);
  }

  poll();
  return el;
}

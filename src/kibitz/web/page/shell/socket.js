// A table's websocket: reopened with growing pauses when the connection is lost.
// Messages are JSON. The first snapshot after reconnecting is complete, so no lost message has to be requested again.

const MIN_RETRY_MS = 400;
const MAX_RETRY_MS = 8000;

/** Open a table's socket. `on.message`, `on.open`, `on.lost(tries)` are called; returns send and close. */
export function connect(id, on) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const url = `${scheme}://${location.host}/ws/tables/${encodeURIComponent(id)}`;
  let socket = null, tries = 0, ended = false, timer = 0;

  function open() {
    clearTimeout(timer);
    socket = new WebSocket(url);
    socket.addEventListener("open", () => { tries = 0; on.open(); });
    socket.addEventListener("message", (event) => on.message(JSON.parse(event.data)));
    socket.addEventListener("close", lost);
  }

  function lost() {
    if (ended) return;
    tries += 1;
    on.lost(tries);
    timer = setTimeout(open, Math.min(MIN_RETRY_MS * 2 ** (tries - 1), MAX_RETRY_MS));
  }

  const again = () => { if (!ended && socket.readyState === WebSocket.CLOSED) open(); };
  addEventListener("online", again);
  open();

  return {
    /** Send a message; false if there is no connection now. */
    send(message) {
      if (socket.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(message));
      return true;
    },
    close() {
      ended = true;
      clearTimeout(timer);
      removeEventListener("online", again);
      socket.close();
    },
  };
}

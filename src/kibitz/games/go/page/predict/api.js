// Asking the server what a model predicts, and who owns which point. Knows addresses, not what the answers mean.

import { ask } from "../../../../web/page/shell/api.js";

const part = encodeURIComponent;

/** Return what can be asked under an address: `opinion(ply)`, and `games(ply, name)` that have the same pattern. */
function source(base) {
  return {
    opinion: (ply) => ask("GET", `${base}/predict/${ply}`),
    games: (ply, name) => ask("GET", `${base}/predict/${ply}/${part(name)}`),
    territory: (ply) => ask("GET", `${base}/territory/${ply}`),
    whole: () => ask("GET", `${base}/predict`),
  };
}

export const inStore = (store, game) => source(`/api/explorer/games/${part(store)}/${part(game)}`);
export const atTable = (id) => source(`/api/tables/${part(id)}`);

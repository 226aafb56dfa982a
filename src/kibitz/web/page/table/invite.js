// The link for the other player, until that player has come.

import { copyField, h, shown } from "../shell/dom.js";
import { heldAt, invitation } from "../shell/tokens.js";

export function inviteView() {
  const link = copyField("Send this link to the other player");
  const el = h("section", { cls: "card invite", "aria-label": "Invitation", hidden: true },
    link.el,
    h("p", { cls: "quiet" }, "Whoever opens it plays against you. To invite spectators, share the address of this page."));
  return {
    el,
    update(model) {
      const { invite } = heldAt(model.id), { here, seats, you, outcome } = model.table;
      const missing = seats.some((seat, player) => seat.kind === "person" && !here[player] && !you.includes(player));
      if (invite) link.input.value = invitation(model.id, invite);
      shown(el, Boolean(invite) && missing && !outcome);
    },
  };
}

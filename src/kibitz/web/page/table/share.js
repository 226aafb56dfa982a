// Sharing a game or a position: links, texts, notations, and other actions on the position.

import * as api from "../shell/api.js";
import { button, copyButton, copyField, download, field, h, shown } from "../shell/dom.js";
import { shownPosition } from "./model.js";
import { asking } from "../shell/shell.js";

export function shareView() {
  const gameLink = copyField("Link to this game"), positionLink = copyField("Link to this position");
  const text = copyField("Position"), before = h("a", {}, "Previous game");
  const from = h("a", { cls: "button" }, "Play from here"), editor = h("a", { cls: "button" }, "Edit");
  const record = h("a", { cls: "button", download: "" }, "Download record");
  const notation = h("select", { onchange: write });
  const written = h("textarea", { rows: "5", readonly: true, spellcheck: "false", "aria-label": "Notation" });
  const writing = asking();
  const save = button("Download", () => download(`${known}-${notation.value}.txt`, written.value));
  const exportPart = h("div", { cls: "stack" }, field("Export as", notation), written, writing.el,
    h("div", { cls: "row" }, copyButton("Copy", () => written.value), save, record));
  const el = h("div", { cls: "stack" }, before, gameLink.el, positionLink.el, text.el, h("div", { cls: "row" }, from, editor),
    exportPart);
  let hasEditor = false, known = null, id = null, ply = -1;

  async function write() {
    const found = await writing.ask(() => api.exported(id, notation.value));
    if (found !== undefined) written.value = found ?? "";
  }

  async function offer(game) {
    known = game.name;
    const entry = await api.game(game.name);
    notation.replaceChildren(...entry.notations.map((each) => h("option", { value: each.name }, each.label)));
    hasEditor = entry.editor;
    shown(editor, hasEditor);
  }

  return {
    el,
    /** Update the texts of the game; called when this is shown. */
    open: () => { if (known) write(); },
    update(model) {
      const { game } = model.table, { position } = shownPosition(model);
      id = model.id;
      if (known !== game.name) offer(game).then(() => { if (el.checkVisibility()) write(); });
      else if (ply !== model.table.ply && el.checkVisibility()) write();
      ply = model.table.ply;
      before.href = `/play/${model.table.before}`;
      shown(before, model.table.before !== "");
      gameLink.input.value = `${location.origin}/play/${model.id}`;
      for (const part of [positionLink.el, text.el, from]) shown(part, position !== null);
      shown(editor, position !== null && hasEditor);
      positionLink.input.value = location.origin + api.address("position", game.name, game.options, position);
      text.input.value = position ?? "";
      from.href = api.address("new", game.name, game.options, position);
      editor.href = api.address("edit", game.name, game.options, position);
      record.href = api.recordUrl(model.id);
    },
  };
}

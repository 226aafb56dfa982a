// Helpers to create SVG elements.

/**
 * Return an SVG element.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag @param {Record<string, string | number>} [attributes] @param {(Node | string)[]} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function element(tag, attributes = {}, ...children) {
  const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, String(value));
  el.append(...children);
  return el;
}

/** Set attributes of an element. @param {Element} el @param {Record<string, string | number>} attributes */
export function setAttributes(el, attributes) {
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, String(value));
}

/** Return the number of screen pixels per unit of a drawing; 1 while it is not shown. @param {SVGSVGElement} svg */
export function pixelsPerUnit(svg) {
  return svg.getScreenCTM()?.a || 1;
}

/** The panel over the page: in the top layer, so that no style of the page covers or clips it. */

const GAP = 6;
const MARGIN = 8;
const WIDEST = 640;

export class Popup {
  #field;
  #panel;
  #place = () => this.place();

  constructor(field, panel) {
    this.#field = field;
    this.#panel = panel;
    this.isOpen = false;
  }

  open() {
    if (this.isOpen) return;
    this.isOpen = true;
    this.#panel.classList.add("open");
    this.#panel.showPopover?.();
    this.place();
    addEventListener("resize", this.#place);
    addEventListener("scroll", this.#place, { capture: true, passive: true });
  }

  close() {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#panel.classList.remove("open");
    if (this.#panel.isConnected) this.#panel.hidePopover?.();
    removeEventListener("resize", this.#place);
    removeEventListener("scroll", this.#place, { capture: true });
  }

  /** Put the panel below the field, or above it if there is more room. */
  place() {
    const field = this.#field.getBoundingClientRect();
    const [width, height] = [document.documentElement.clientWidth, visualViewport?.height ?? innerHeight];
    const wide = Math.min(width - 2 * MARGIN, Math.max(field.width, WIDEST));
    const left = Math.min(Math.max(field.left, MARGIN), width - wide - MARGIN);
    const [below, above] = [height - field.bottom, field.top].map((room) => room - GAP - MARGIN);
    const isBelow = below >= Math.min(above, 320);
    Object.assign(this.#panel.style, {
      left: `${left}px`,
      width: `${wide}px`,
      top: isBelow ? `${field.bottom + GAP}px` : "auto",
      bottom: isBelow ? "auto" : `${innerHeight - field.top + GAP}px`,
      maxHeight: `${Math.max(isBelow ? below : above, 160)}px`,
    });
  }
}

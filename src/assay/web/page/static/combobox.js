/**
 * The keys and the ARIA states of an editable combobox with a listbox (WAI-ARIA APG, list autocomplete with manual
 * selection). The focus stays in the input; aria-activedescendant names the option.
 */

export class Combobox {
  #input;
  #listbox;
  #on;

  /**
   * on.choose: called with an option and the event that chose it. on.submit: Enter without an option. on.dismiss:
   * Escape; whether it changed anything. on.open, on.close: show or hide the popup; whether they did. on.move: another
   * option, or null, is active.
   */
  constructor(input, listbox, on) {
    this.#input = input;
    this.#listbox = listbox;
    this.#on = on;
    input.addEventListener("keydown", (event) => this.#key(event));
    for (const type of ["click", "auxclick"]) listbox.addEventListener(type, (event) => this.#click(event));
    // The focus stays in the input, so that the keys go on working; a link is still opened by its click.
    listbox.addEventListener("mousedown", (event) => event.button === 0 && event.preventDefault());
  }

  get options() {
    return [...this.#listbox.querySelectorAll("[role=option]")];
  }

  get active() {
    return this.#listbox.querySelector("[aria-selected=true]");
  }

  set active(option) {
    this.active?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    if (option) this.#input.setAttribute("aria-activedescendant", option.id);
    else this.#input.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
    this.#on.move(option);
  }

  /** Whether the listbox is shown; an empty one never is. */
  set expanded(shown) {
    this.#input.setAttribute("aria-expanded", String(shown));
    this.#listbox.hidden = !shown;
    if (!shown) this.active = null;
  }

  #key(event) {
    if (event.isComposing || event.defaultPrevented) return;
    const handled = {
      ArrowDown: () => this.#arrow(event, 1),
      ArrowUp: () => this.#arrow(event, -1),
      Enter: () => this.#enter(event),
      Escape: () => this.#on.dismiss(),
    }[event.key]?.();
    if (handled) event.preventDefault();
    // Home, End, the other arrows and letters belong to the text: the option is left, and the browser does the rest.
    else if (/^(Home|End|ArrowLeft|ArrowRight)$|^.$/u.test(event.key) && !event.ctrlKey && !event.metaKey) this.active = null;
  }

  #arrow(event, step) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return false;
    if (event.altKey) return step > 0 ? this.#on.open() : this.#on.close();
    this.#on.open();
    const options = this.options;
    // The input itself has a place in the circle: before the first option and after the last one.
    const places = options.length + 1;
    const next = (options.indexOf(this.active) + 1 + step + places) % places;
    this.active = options[next - 1] ?? null;
    return true;
  }

  #enter(event) {
    if (this.active) this.#on.choose(this.active, event);
    else this.#on.submit();
    return true;
  }

  #click(event) {
    const option = event.target.closest("[role=option]");
    if (option && event.button < 2) this.#on.choose(option, event); // not for the context menu
  }
}

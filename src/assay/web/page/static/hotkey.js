/** Keys that focus the search box from anywhere on the page. */

/** Listen for the keys of a list such as `/ ctrl+k`; Cmd counts as Ctrl. Returns a function that stops it. */
export function listen(keys, focus) {
  const wanted = keys.toLowerCase().split(/\s+/).filter(Boolean);
  const pressed = (event) => {
    const withControl = event.ctrlKey || event.metaKey;
    const name = (withControl ? "ctrl+" : "") + event.key.toLowerCase();
    if (event.defaultPrevented || event.altKey || !wanted.includes(name)) return;
    if (!withControl && isText(event.composedPath()[0])) return;
    event.preventDefault();
    focus();
  };
  document.addEventListener("keydown", pressed);
  return () => document.removeEventListener("keydown", pressed);
}

/** Whether a key pressed there is text. */
const isText = (target) => target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName ?? "");

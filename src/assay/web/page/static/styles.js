/** The style of the search box. A constructed style sheet is allowed under any Content-Security-Policy. */

const css = `
:host { color-scheme: light dark; display: block; }
:host([hidden]) { display: none; }
.root {
  --accent: var(--assay-accent, light-dark(#0b57d0, #8ab4ff));
  --back: var(--assay-background, light-dark(#fff, #16191f));
  --border: var(--assay-border, light-dark(#c9d0d8, #3a414d));
  --marked: var(--assay-mark, light-dark(#ffedaf, #5c4700));
  --muted: var(--assay-muted, light-dark(#57606b, #a3acb9));
  --raised: var(--assay-active, light-dark(#e8f0fe, #263247));
  --radius: var(--assay-radius, .5em);
  --text: var(--assay-text, light-dark(#1a1d21, #e8ebf0));
  all: initial;
  color: var(--text);
  color-scheme: inherit;
  display: block;
  font: var(--assay-font-size, 16px)/1.5 var(--assay-font, system-ui, sans-serif);
  position: relative;
  text-align: start;
}
* { box-sizing: border-box; }
span { unicode-bidi: isolate; }
[hidden] { display: none !important; }
.unseen { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; white-space: nowrap; width: 1px; }

.field {
  align-items: center;
  background: var(--back);
  border: 1px solid light-dark(#767f8a, #7b8594);
  border-radius: var(--radius);
  display: flex;
  gap: .4em;
  padding: 0 .6em;
  scroll-margin: 1em;
}
.field:focus-within { border-color: var(--accent); outline: 2px solid var(--accent); outline-offset: -1px; }
input {
  background: none;
  border: 0;
  color: inherit;
  flex: 1;
  font: inherit;
  margin: 0;
  min-width: 0;
  outline: 0;
  padding: .5em 0;
  text-overflow: ellipsis;
}
input::placeholder { color: var(--muted); opacity: 1; }
kbd { border: 1px solid var(--border); border-radius: .3em; color: var(--muted); font: .8em/1.5 inherit; padding: 0 .5em; }
.clear { background: none; border: 0; border-radius: .3em; font-size: 1.3em; line-height: 1; padding: .15em .35em; }

.panel { display: flex; flex-direction: column; gap: .5em; }
.panel[popover] {
  background: var(--back);
  border: 1px solid var(--border);
  border-radius: var(--radius);
  box-shadow: 0 .5em 2em #0004;
  color: inherit;
  inset: auto;
  margin: 0;
  overflow: hidden;
  padding: .5em;
  position: fixed;
  z-index: 2147483647;
}
.panel[popover]:not(.open) { display: none; }
.panel[popover] [role=listbox] { overflow-y: auto; overscroll-behavior: contain; }
.inline .panel { margin-top: 1em; }
.inline { --indent: 0; }
.inline :is(.notices, .title) { padding-inline: 0; }

.filters { display: flex; flex-wrap: wrap; gap: .5em 1em; }
.filters:not(:has(label:not([hidden]))), .notices:empty, .error:empty { display: none; }
label { align-items: center; color: var(--muted); display: flex; font-size: .875em; gap: .5em; max-width: 100%; }
select, button { background: var(--back); border: 1px solid var(--border); border-radius: var(--radius); color: var(--text); font: inherit; }
select { min-width: 0; padding: .25em .4em; text-overflow: ellipsis; }
button { cursor: pointer; padding: .25em .75em; }
button:hover, select:hover { border-color: var(--accent); }
:is(button, select):focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.link { background: none; border: 0; color: var(--accent); padding: 0; text-align: start; text-decoration: underline; }

p { margin: 0; overflow-wrap: anywhere; }
:is(p, .title, .heading) { overflow: clip; overflow-clip-margin: 4px; }
.notices, .error { display: grid; gap: .25em; padding: 0 .5em; }
.error { border-inline-start: .25em solid light-dark(#c5221f, #f28b82); justify-items: start; gap: .5em; }

[role=listbox] { min-height: 0; }
[aria-busy] { opacity: .6; }
[role=group] { margin-bottom: .75em; }
.title { display: flex; flex-wrap: wrap; font-weight: 600; gap: 0 .75em; align-items: baseline; overflow-wrap: anywhere; padding: .25em .5em; }
.place { color: var(--muted); font-size: .8125em; font-weight: 400; }
.option {
  border-inline-start: 2px solid var(--border);
  border-radius: 0 var(--radius) var(--radius) 0;
  color: inherit;
  cursor: pointer;
  display: block;
  margin-inline-start: var(--indent, .5em);
  outline: 2px solid transparent;
  outline-offset: -2px;
  overflow-wrap: anywhere;
  padding: .4em 2.5em .4em .75em;
  position: relative;
  text-decoration: none;
}
.option:hover { background: color-mix(in srgb, var(--raised) 60%, var(--back)); }
.option[aria-selected=true] { background: var(--raised); border-color: var(--accent); outline-color: var(--accent); }
.heading { color: var(--accent); display: block; }
.snippet { -webkit-box-orient: vertical; -webkit-line-clamp: 3; color: var(--text); display: -webkit-box; font-size: .875em; overflow: hidden; }
mark { background: var(--marked); border-radius: .2em; color: inherit; }
.tool { border-radius: .3em; color: var(--muted); inset: .2em .3em auto auto; line-height: 1; opacity: 0; padding: .4em; position: absolute; }
.option:is(:hover, [aria-selected=true]) .tool { opacity: 1; }
.tool:hover { background: var(--back); color: var(--text); }
@media (hover: none) { .tool { opacity: 1; padding: .6em; } }

.footer { align-items: center; display: flex; flex-wrap: wrap; gap: .5em; font-size: .875em; }
.footer:not(:has(button:not([hidden]))):has(.summary:empty) { display: none; }
.summary { color: var(--muted); margin-inline-start: auto; padding: 0 .5em; }
@media (prefers-reduced-motion: no-preference) { .option, .tool { transition: background .1s, opacity .1s; } }
`;

let sheet;

/** The style sheet, shared by all search boxes of a page. */
export function styles() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}

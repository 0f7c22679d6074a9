// Defines <assay-search>. It works as a script and as a module: only a script has document.currentScript.
{
  const script = document.currentScript;
  import(script ? new URL("page/DIGEST/element.js", script.src).href : "./page/DIGEST/element.js");
}

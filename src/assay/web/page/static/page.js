/** Assay's own page: the search box, its address, and the key where one is needed. */

import "./element.js";
import { follow, read } from "./address.js";
import { askForKey } from "./key.js";

const search = document.querySelector("assay-search");
const state = read();
askForKey(search);
follow(search);
// What was typed before this code was loaded wins.
search.show({ ...state, query: search.state.query || state.query });
if (!search.state.query) search.focus();

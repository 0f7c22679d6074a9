// @ts-check

/** @type {import('@docusaurus/types').Config} */
export default {
  title: 'Meridian handbook',
  url: 'https://handbook.example',
  baseUrl: '/',
  onBrokenLinks: 'warn', // the theme links to a start page at /, which this site does not have
  onBrokenAnchors: 'throw',
  presets: [['classic', {docs: {routeBasePath: 'docs'}, blog: false}]],
};

/** @type {import('@sveltejs/vite-plugin-svelte').SvelteConfig} */
export default {
  compilerOptions: {
    runes: true,
    // Elements are made one by one, never parsed out of strings: the page can run under trusted types and a strict CSP.
    fragments: 'tree',
  },
};

import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What a report has of its own, in place of the page's: who answers, and where its state is. */
const instead = new Map([
  [here('src/api/index.ts'), here('src/report/client.ts')],
  [here('src/state/router.svelte.ts'), here('src/report/router.svelte.ts')],
]);

const ours: Plugin = {
  name: 'bobbin-report',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    return found === null ? null : (instead.get(found.id) ?? null);
  },
  // The script stands inside of a page: an end tag in one of its texts would end it.
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = file.code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  },
};

// The engines of Bobbin's own page. One script and one style, which Bobbin writes into each report.
const engines = ['chrome123', 'firefox121', 'safari17.5'];

export default defineConfig({
  plugins: [ours, svelte()],
  publicDir: false,
  build: {
    target: engines,
    cssTarget: engines,
    outDir: 'dist/report',
    emptyOutDir: true,
    modulePreload: false,
    chunkSizeWarningLimit: 900,
    cssCodeSplit: false,
    rolldownOptions: {
      input: here('src/report/main.ts'),
      output: { format: 'iife', entryFileNames: 'report.js', assetFileNames: 'report.[ext]' },
    },
  },
});

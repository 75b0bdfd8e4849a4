import { defineConfig } from 'vite';

/** Where a Conch runs while somebody works on the page: npx vite web. */
const conch = 'http://127.0.0.1:9000';

// oxlint-disable-next-line import/no-default-export -- vite reads the default export
export default defineConfig({
  // Behind a proxy the page may stand below a path of its own.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    // Browsers that know light-dark(), of the year 2024.
    target: ['chrome123', 'firefox125', 'safari17.5'],
    modulePreload: false,
    cssCodeSplit: false,
    // A file that is written into another one would need a wider policy than the page has.
    assetsInlineLimit: 0,
  },
  server: { proxy: { '/v1': conch, '/metrics': conch, '/docs': conch, '/openapi.json': conch } },
});

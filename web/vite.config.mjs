import { defineConfig } from 'vite';

/** The Conch server that `npx vite web` proxies to during development. */
const conch = 'http://127.0.0.1:9000';

// oxlint-disable-next-line import/no-default-export -- vite reads the default export
export default defineConfig({
  // A proxy may serve the web UI below a path.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    // Browsers that support light-dark(): 2024 and later.
    target: ['chrome123', 'firefox125', 'safari17.5'],
    modulePreload: false,
    cssCodeSplit: false,
    // The content security policy allows no inlined files.
    assetsInlineLimit: 0,
  },
  server: { proxy: { '/v1': conch, '/metrics': conch, '/docs': conch, '/openapi.json': conch } },
});

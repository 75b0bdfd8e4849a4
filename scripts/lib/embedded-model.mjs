import { cacheFolder } from './cache.mjs';
import { inRoot, StepError } from './steps.mjs';

/**
 * Fetches the embedded engine and the default model with the built program's own code, so that no test waits for a download.
 */
export async function embeddedModel() {
  const { installEngine } = await import(inRoot('dist/servers/embedded/install/install-engine.js'));
  const { fetchDefaultModel } = await import(inRoot('dist/servers/embedded/install/default-model.js'));
  const { progressReporter } = await import(inRoot('dist/serve/progress.js'));
  const report = progressReporter({
    isInteractive: process.stderr.isTTY && !process.env['CI'],
    width: process.stderr.columns ?? 80,
    write: (/** @type {string} */ text) => process.stderr.write(text),
  });
  const show = (/** @type {string} */ what) => (/** @type {number} */ done) =>
    report({ what, done, total: 1, unit: 'percent' });
  const cacheDir = cacheFolder();
  const endpoint = process.env['HF_ENDPOINT'] ?? 'https://huggingface.co';
  try {
    await installEngine({ cacheDir, onProgress: show('Installing the engine (node-llama-cpp)') });
    await fetchDefaultModel({ cacheDir, hub: { endpoint }, onProgress: show('Fetching the default model') });
  } catch (error) {
    throw new StepError(error instanceof Error ? error.message : String(error));
  }
}

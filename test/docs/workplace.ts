import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inject } from 'vitest';
import { modelFile, modelName } from '../embedded/support.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot, tokenizerFolder } from '../support/environment.ts';
import { gatewayFlags } from '../support/gateway.ts';

/** A Conch as the pages talk of it, and a folder with the files that they name. */
export interface Workplace {
  readonly conch: Conch;
  readonly folder: string;
  /** With the commands that the pages call. */
  readonly path: string;
  /** A text of a page, with the addresses of the servers that really run. */
  readonly placed: (text: string) => string;
  readonly leave: () => Promise<void>;
}

/** The models that pages ask for by these names, and those of the servers that answer. */
const aliases = {
  llama3: { serves: 'vllm-llama', tokenizer: tokenizerFolder('llama3') },
  qwen3: { serves: 'vllm-toy' },
};

/** Serves are checked, since they would never end; everything else runs. */
const conchCommand = `#!/bin/sh
case "$1" in
  '' | -*) exec "$NODE" "$CONCH_TEST_MAIN" --check "$@" ;;
  *) exec "$NODE" "$CONCH_TEST_MAIN" "$@" ;;
esac
`;
const npxCommand = '#!/bin/sh\n[ "$1" = conch ] || exit 64\nshift\nexec conch "$@"\n';
/** An answer that is a failure fails the snippet. */
const curlCommand = '#!/bin/sh\nPATH="$PATH_BEFORE" exec curl --fail-with-body --silent --show-error "$@"\n';

/** Starts a Conch with the shared tritonserver and the embedded model behind it. */
export async function openWorkplace(): Promise<Workplace> {
  const folder = mkdtempSync(join(tmpdir(), 'conch-docs-'));
  const model = await modelFile();
  writeFiles(folder, model);
  const settings = join(folder, 'workplace.json');
  writeFileSync(settings, JSON.stringify({ models: aliases }));
  const conch = await startConch({
    flags: [
      ...gatewayFlags(),
      '--config',
      settings,
      '--model',
      `${modelName}=${model}`,
      '--store',
      `sqlite:${join(folder, 'responses.sqlite')}`,
    ],
    readyMilliseconds: 180_000,
  });
  // Ready is what has any model; the pages ask for those of both servers.
  await conch.logged(({ message, models = [] }) => {
    const states = new Map((models as { name: string; state: string }[]).map(({ name, state }) => [name, state]));
    return message === 'models' && ['vllm-toy', 'vllm-llama', modelName].every((name) => states.get(name) === 'READY');
  });
  const address = new URL(conch.url).host;
  const triton = `127.0.0.1:${inject('triton').grpcPort}`;
  return {
    conch,
    folder,
    path: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    placed: (text) =>
      text.replaceAll(/\b(?:localhost|127\.0\.0\.1):(?:9000|11434)\b/g, address).replaceAll('localhost:8001', triton),
    leave: async () => {
      await conch.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the pages name: tokenizers, a GGUF file, adapters, and the commands. */
function writeFiles(folder: string, model: string): void {
  for (const name of ['bin', 'tokenizers', 'adapters/sql', 'adapters/poems', 'models', 'engines/llama3'])
    mkdirSync(join(folder, name), { recursive: true });
  symlinkSync(tokenizerFolder('llama3'), join(folder, 'tokenizers/llama3'));
  symlinkSync(tokenizerFolder('qwen3'), join(folder, 'tokenizers/qwen3'));
  symlinkSync(model, join(folder, 'model.gguf'));
  symlinkSync(inRoot('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'history.liquid'), '{% for item in items %}{{ item.content }}{% endfor %}');
  for (const [name, text] of Object.entries({ conch: conchCommand, npx: npxCommand, curl: curlCommand })) {
    const file = join(folder, 'bin', name);
    writeFileSync(file, text);
    chmodSync(file, 0o755);
  }
}

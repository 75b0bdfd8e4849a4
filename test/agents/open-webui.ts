import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../support/ports.ts';
import { key } from './gateway.ts';

export interface OpenWebui {
  readonly url: string;
  readonly version: string;
  /** The folder with its data. */
  readonly folder: string;
  readonly stop: () => Promise<void>;
}

const startMilliseconds = 300_000;
const pollMilliseconds = 100;

/**
 * Starts Open WebUI without accounts, with three connections to one Conch: the OpenAI API, the OpenAI API with a wrong
 * API key, whose model is `locked.agent`, and the Ollama API, whose models are `ollama.NAME:latest`.
 */
export async function startOpenWebui(programs: string, conch: string): Promise<OpenWebui> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'conch-open-webui-')));
  const data = join(folder, 'data');
  mkdirSync(data);
  const [port = 0] = await freePorts(1);
  // The program itself names the folder in which the environment was made.
  const words = ['-c', 'from open_webui import app; app()', 'serve', '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(join(programs, 'python'), words, {
    cwd: folder,
    env: { ...process.env, ...isolation(folder, data), ...connections(conch) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await once(child, 'spawn');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const url = `http://127.0.0.1:${port}`;
  const end = Date.now() + startMilliseconds;
  while (Date.now() < end && child.exitCode === null) {
    const version = await versionAt(url);
    if (version !== undefined) return { url, version, folder, stop };
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
  }
  await stop();
  throw new Error(`Open WebUI is not ready:\n${output}`);
}

async function versionAt(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/api/version`);
    return ((await response.json()) as { version: string }).version;
  } catch {
    return undefined;
  }
}

/** The slim variant, which loads no models of its own, reaches no other hosts and writes only into its folder. */
function isolation(folder: string, data: string): Readonly<Record<string, string>> {
  return {
    HOME: folder,
    DATA_DIR: data,
    STATIC_DIR: join(folder, 'static'),
    USE_SLIM_DOCKER: 'true',
    OFFLINE_MODE: 'true',
    HF_HUB_OFFLINE: '1',
    WEBUI_AUTH: 'false',
    WEBUI_SECRET_KEY: 'open-webui',
    ENABLE_VERSION_UPDATE_CHECK: 'false',
    RAG_EMBEDDING_ENGINE: 'openai',
    DEFAULT_INTERFACE_SETTINGS: JSON.stringify({ showChangelog: false }),
  };
}

function connections(conch: string): Readonly<Record<string, string>> {
  return {
    OPENAI_API_BASE_URLS: `${conch}/v1;${conch}/v1`,
    OPENAI_API_KEYS: `${key};wrong`,
    // A connection whose models are configured does not list them.
    OPENAI_API_CONFIGS: JSON.stringify({ 1: { prefix_id: 'locked', model_ids: ['agent'] } }),
    ENABLE_OLLAMA_API: 'true',
    OLLAMA_BASE_URLS: conch,
    OLLAMA_API_CONFIGS: JSON.stringify({ 0: { prefix_id: 'ollama', key } }),
  };
}

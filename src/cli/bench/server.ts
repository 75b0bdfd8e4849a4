import { errorText } from '../../bench/load/response.ts';
import type { Caller, JsonResponse, Target } from '../../bench/target.ts';
import { serverCounter, type TokenCounter } from '../../bench/token-counter.ts';
import type { CommandInput } from '../../config/load.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { AssetError } from '../../prompt/asset-error.ts';
import { loadPromptAssets } from '../../prompt/assets.ts';
import { hubSettings } from '../../prompt/hub-request.ts';
import type { Terminal } from '../../serve/terminal.ts';

/** The model to measure: the named one, else the first that the server lists. The server must be reachable. */
export async function modelOf(
  call: Caller,
  { origin, headers }: Pick<Target, 'origin' | 'headers'>,
  named: string | undefined,
): Promise<string> {
  const { status, body } = await call('/v1/models').catch((error: NodeJS.ErrnoException): JsonResponse => {
    throw new SettingsError([
      `--url: ${origin} is unreachable: ${error.code ?? error.message}. Start the server, or set another --url.`,
    ]);
  });
  if (named !== undefined) return named;
  const list = (body ?? {}) as { readonly data?: readonly { readonly id?: unknown }[]; readonly error?: unknown };
  const id = Array.isArray(list.data) ? list.data[0]?.id : undefined;
  if (typeof id === 'string') return id;
  const refusal = 'authorization' in headers ? 'rejected the API key' : 'needs an API key';
  if (status === 401) throw new SettingsError([`--api-key: ${origin} ${refusal}: ${errorText(list.error)}`]);
  const reason = status === 200 ? 'an empty list' : `HTTP ${status}: ${errorText(list.error ?? 'no reason given')}`;
  throw new SettingsError([`--model is missing: ${origin}/v1/models lists no model (${reason}). Set it.`]);
}

interface CounterOptions {
  readonly input: CommandInput;
  readonly terminal: Terminal;
  readonly call: Caller;
  readonly model: string;
}

/** What counts tokens: the named tokenizer, else the server; undefined where only its usage is available. */
export async function counterOf(
  tokenizer: string | undefined,
  { input, terminal, call, model }: CounterOptions,
): Promise<TokenCounter | undefined> {
  return tokenizer === undefined ? serverCounter(call, model) : ownCounter(tokenizer, input, terminal);
}

async function ownCounter(name: string, { settings }: CommandInput, terminal: Terminal): Promise<TokenCounter> {
  const { hfEndpoint: endpoint, hfToken: token, cacheDir: cacheFolder } = settings;
  const { tokenizer } = await loadPromptAssets({
    tokenizer: name,
    hub: hubSettings({ endpoint, token, cacheFolder }, terminal.environment),
    signal: terminal.stop,
    onNote: (note) => terminal.err(note),
    onProgress: ({ file, received, total }) => terminal.progress({ what: `${name}/${file}`, done: received, total }),
  }).catch((error: unknown) => {
    throw error instanceof AssetError ? new SettingsError([`--tokenizer: ${error.message}`]) : error;
  });
  if (tokenizer === undefined) throw new SettingsError([`--tokenizer: ${name} has no tokenizer.json.`]);
  return { source: `the tokenizer ${name}`, count: (text) => tokenizer.count(text, { addSpecialTokens: false }) };
}

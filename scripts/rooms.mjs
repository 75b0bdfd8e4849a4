/** @typedef {{ readonly holds: string, readonly imports: readonly string[] }} Room */

/**
 * The rooms: folders of src, and which others each may import. A room imports only rooms below it in this table. Files
 * directly in src are open to every room and import none. `npm run check` holds all imports against this table, and
 * `npm run docs` draws it into docs/architecture.md.
 * @type {Readonly<Record<string, Room>>}
 */
export const rooms = {
  main: { holds: 'the program: arguments, settings, a command, the exit code', imports: ['cli', 'config'] },
  cli: {
    holds: 'one file per command; puts the other rooms together',
    imports: [
      'bench',
      'config',
      'contracts',
      'generate',
      'http',
      'images',
      'keys',
      'kserve',
      'limits',
      'models',
      'openai',
      'output',
      'prompt',
      'servers/balanced',
      'servers/combined',
      'servers/embedded',
      'servers/managed',
      'servers/remote',
      'servers/repository',
      'servers/resolved',
      'store',
      'telemetry',
    ],
  },
  http: {
    holds: 'routes, API keys, limits, server-sent events, error responses',
    imports: ['contracts', 'generate', 'keys', 'kserve', 'limits', 'models', 'openai', 'store'],
  },
  generate: {
    holds: 'the pipeline of a chat or completion; merges choices, maps failures',
    imports: ['contracts', 'images', 'kserve', 'limits', 'models', 'openai', 'output', 'prompt'],
  },
  models: {
    holds: 'which models are served: discovery, registry, admission, load and unload',
    imports: ['contracts', 'kserve', 'limits', 'openai', 'prompt'],
  },
  openai: { holds: 'the wire formats: request schemas, chunks, whole responses', imports: ['contracts'] },
  prompt: { holds: 'messages to text, text to token ids', imports: [] },
  images: { holds: 'image files: fetch, check, decode', imports: [] },
  'servers/combined': {
    holds: 'several servers as one, for the KServe frontends',
    imports: ['kserve', 'servers/balanced'],
  },
  'servers/balanced': { holds: 'load balancing, retries, circuit breaker', imports: ['kserve'] },
  'servers/managed': { holds: 'a tritonserver as a child process', imports: ['kserve', 'servers/remote'] },
  'servers/remote': { holds: 'a Triton server over gRPC', imports: ['kserve'] },
  'servers/resolved': { holds: 'one server for every address of a DNS name', imports: ['kserve'] },
  'servers/embedded': { holds: 'llama.cpp in the same process', imports: ['kserve', 'output', 'patterns'] },
  'servers/repository': { holds: 'model repositories: read, fill, check', imports: ['kserve'] },
  output: { holds: 'tokens to text, tool calls, reasoning', imports: ['contracts'] },
  contracts: { holds: 'the tensors of each kind of model: encode, decode, explain', imports: ['kserve', 'patterns'] },
  patterns: { holds: 'regular expressions: read, checked, written anew', imports: [] },
  kserve: { holds: 'the KServe v2 protocol: messages, tensors, codec', imports: [] },
  keys: { holds: 'API keys and JWTs', imports: ['config'] },
  config: { holds: 'every setting once; readers of flags, environment and file', imports: [] },
  limits: { holds: 'concurrency and rate limits', imports: [] },
  store: { holds: 'stored responses: SQLite, PostgreSQL', imports: [] },
  telemetry: { holds: 'metrics, traces, the log', imports: [] },
  bench: { holds: 'conch bench: load, statistics, reports', imports: ['plot'] },
  plot: { holds: 'charts as SVG', imports: [] },
};

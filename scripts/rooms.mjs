/** @typedef {{ readonly holds: string, readonly imports: readonly string[] }} Room */

/**
 * The rooms: folders of src, and which others each may import. A room imports only rooms below it in this table. Files
 * directly in src are open to every room and import none. `npm run check` holds all imports against this table, and
 * `npm run docs` draws it into docs/architecture.md.
 * @type {Readonly<Record<string, Room>>}
 */
export const rooms = {
  main: { holds: 'the program: arguments, settings, a command, the exit code', imports: ['cli', 'config', 'serve'] },
  loader: { holds: 'the built program: loads its parts with compiled code', imports: [] },
  cli: {
    holds: 'one file or folder per command',
    imports: [
      'bench',
      'config',
      'contracts',
      'generate',
      'keys',
      'kserve',
      'models',
      'prompt',
      'repository',
      'requests',
      'serve',
      'servers/embedded/install',
    ],
  },
  serve: {
    holds: 'a running Conch: wiring, live settings, workers, TLS, listen, drain',
    imports: [
      'apis/anthropic',
      'apis/conch',
      'apis/gemini',
      'apis/kserve',
      'apis/ollama',
      'apis/openai',
      'config',
      'generate',
      'http',
      'images',
      'keys',
      'kserve',
      'limits',
      'models',
      'output',
      'prompt',
      'repository',
      'responses',
      'servers/balanced',
      'servers/combined',
      'servers/embedded',
      'servers/embedded/engine',
      'servers/embedded/install',
      'servers/managed',
      'servers/remote',
      'servers/resolved',
      'telemetry',
    ],
  },
  'apis/conch': {
    holds: "Conch's own API: web UI, OpenAPI document, servers, health, metrics",
    imports: ['generate', 'http', 'keys', 'kserve', 'models'],
  },
  'apis/ollama': { holds: "Ollama's API", imports: ['contracts', 'generate', 'http', 'models', 'requests'] },
  'apis/gemini': { holds: "Google's Gemini API", imports: ['contracts', 'generate', 'http', 'models', 'requests'] },
  'apis/anthropic': {
    holds: "Anthropic's API: messages, models",
    imports: ['contracts', 'generate', 'http', 'models', 'requests'],
  },
  'apis/openai': {
    holds: "OpenAI's API, with vLLM's and Cohere's additions",
    imports: ['contracts', 'generate', 'http', 'models', 'requests', 'responses'],
  },
  'apis/kserve': { holds: 'the KServe v2 protocol over HTTP and gRPC', imports: ['http', 'keys', 'kserve', 'models'] },
  http: {
    holds: 'what every API shares: the Api type, the app, keys, limits, events, OpenAPI',
    imports: ['contracts', 'generate', 'keys', 'limits', 'models', 'requests'],
  },
  responses: { holds: 'background runs, stored responses: SQLite, PostgreSQL', imports: [] },
  generate: {
    holds: 'plan and run: chat, completion, embedding, rerank',
    imports: ['contracts', 'images', 'json-schema', 'kserve', 'limits', 'models', 'output', 'prompt', 'requests'],
  },
  models: {
    holds: 'which models are served: discovery, registry, admission, load and unload',
    imports: ['contracts', 'kserve', 'limits', 'prompt', 'requests'],
  },
  requests: { holds: 'the checked request that every API is translated to', imports: ['contracts', 'json-schema'] },
  prompt: { holds: 'messages to text, text to token ids', imports: [] },
  images: { holds: 'image files: fetch, check, decode', imports: [] },
  'servers/combined': {
    holds: 'several servers as one, for the KServe frontends',
    imports: ['kserve', 'servers/balanced'],
  },
  'servers/balanced': { holds: 'load balancing, retries, circuit breaker', imports: ['kserve'] },
  'servers/managed': { holds: 'a tritonserver as a child process', imports: ['kserve', 'servers/remote'] },
  bench: { holds: 'conch bench: load, statistics, reports', imports: ['kserve', 'plot', 'servers/remote'] },
  'servers/remote': { holds: 'a Triton server over gRPC', imports: ['kserve'] },
  'servers/resolved': { holds: 'one server for every address of a DNS name', imports: ['kserve'] },
  'servers/embedded': {
    holds: 'llama.cpp in the same process, as a KServe server',
    imports: ['kserve', 'servers/embedded/engine'],
  },
  'servers/embedded/install': {
    holds: 'the engine and the default model, fetched on first use',
    imports: ['servers/embedded/engine'],
  },
  'servers/embedded/engine': {
    holds: 'one loaded model: batches, tokens, sampling',
    imports: ['kserve', 'output', 'servers/embedded/gguf', 'servers/embedded/grammar'],
  },
  'servers/embedded/grammar': { holds: 'JSON schemas and patterns as GBNF', imports: ['json-schema', 'patterns'] },
  'servers/embedded/gguf': { holds: 'GGUF files: header and metadata', imports: [] },
  repository: { holds: 'model repositories: read, init, fill, check, config.pbtxt', imports: ['kserve'] },
  output: { holds: 'tokens to text, tool calls, reasoning', imports: ['contracts'] },
  contracts: {
    holds: 'the tensors of each kind of model: encode, decode, explain',
    imports: ['json-schema', 'kserve', 'patterns'],
  },
  'json-schema': { holds: 'JSON schemas: check, validate', imports: [] },
  patterns: { holds: 'regular expressions: parse, check, rewrite', imports: [] },
  kserve: { holds: 'the KServe v2 protocol: messages, tensors, codec', imports: [] },
  keys: { holds: 'API keys and JWTs', imports: ['config'] },
  config: { holds: 'every setting once; readers of flags, environment and file', imports: [] },
  limits: { holds: 'concurrency and rate limits', imports: [] },
  telemetry: { holds: 'metrics, traces, the log', imports: [] },
  plot: { holds: 'charts as SVG', imports: [] },
};

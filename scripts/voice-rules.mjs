/**
 * The rules of docs/contributing/voice.md that `npm run check` holds, and where they do not apply.
 * @import { Exception, Rules, Word } from './lib/voice-check.mjs'
 */

/** Words of the glossary. A pattern matches whole words, in any case, outside code. @type {readonly Word[]} */
export const glossary = [
  { write: 'response, completion or message', avoid: 'answers?|answered|answering' },
  { write: 'request or prompt', avoid: 'questions?|what was asked|asked for' },
  { write: 'stop sequence', avoid: 'stop texts?' },
  { write: 'schema, JSON schema or structured output', avoid: 'forms?' },
  { write: 'error or failure', avoid: 'faults?|faulty' },
  { write: 'stored or persisted', avoid: 'kept' },
  { write: 'environment variable', avoid: '(?<!environment )variables?' },
  { write: 'web UI, playground or dashboard', avoid: "the page(?:'s)?" },
  { write: 'API key or key file', avoid: 'files? of keys' },
  { write: 'configuration file', avoid: 'files? of settings' },
  { write: 'supported, not supported or ignored', avoid: 'honou?r(?:s|ed|ing)?|no(?: such)? dials?|without effect' },
  { write: 'client disconnected', avoid: 'clients? (?:that )?(?:has|have|had) (?:left|gone)|clients? left' },
  { write: 'upstream, Triton server or backend', avoid: 'servers? behind(?: it| them)?' },
  { write: 'worker or worker pool', avoid: 'seats?|crews?' },
  { write: 'unavailable or unreachable', avoid: '(?:is|are|was|were) not reached|cannot be reached' },
  { write: 'context length', avoid: 'how long its context is|(?:no|more|enough) room|room (?:for|left)' },
  { write: 'token limit', avoid: 'most tokens' },
  { write: 'nesting depth', avoid: 'lists (?:and|or) objects in each other' },
  { write: 'alias', avoid: 'further names?' },
];

/** Phrases that make a sentence a riddle. @type {readonly Word[]} */
export const riddles = [
  { write: 'unknown, or who it is', avoid: 'nobody' },
  { write: 'anyone or each client', avoid: 'whoever' },
  { write: 'is or has', avoid: 'stands?|stood' },
  { write: 'who tells what', avoid: '(?:is|are|was|were|be) told' },
  { write: 'diagnose, or who calls what', avoid: 'spoken to' },
  { write: 'only', avoid: 'alone' },
  { write: 'such as, like or for example', avoid: 'such(?! as\\b)' },
  { write: 'of it or its', avoid: 'thereof' },
  { write: 'retries or restarts', avoid: 'begun again' },
];

/** Words that no name in the code has. A pattern matches whole words of a name like `answerReader`. @type {readonly Word[]} */
export const names = [
  { write: 'response or completion', avoid: 'answers?|answered|answering' },
  { write: 'request, query or prompt', avoid: 'questions?|asked|wish(?:es)?' },
  { write: 'error or failure', avoid: 'faults?|faulty' },
  { write: 'stored, cached or remaining', avoid: 'kept' },
  { write: 'value, input or options', avoid: 'given' },
  { write: 'expected, required or requested', avoid: 'wanted' },
  { write: 'visible or displayed', avoid: 'shown' },
  { write: 'received or reported', avoid: 'heard|told' },
  { write: 'started', avoid: 'begun' },
  { write: 'resources or handles', avoid: 'opened' },
  { write: 'location, position, path or context', avoid: 'places?|surroundings' },
  { write: 'worker, client or gate', avoid: 'seats?|crews?|visitors?|desks?|doors?' },
  { write: 'supported', avoid: 'honou?r(?:s|ed)' },
  { write: 'anonymous or none', avoid: 'nobody|whoever' },
];

/** How long things may be: sentences in words, lines in columns, table cells in characters. */
export const limits = { words: 35, columns: 120, cell: 200 };

/** The title of each page. @type {Readonly<Record<string, string>>} */
export const titles = {
  'CHANGELOG.md': 'Changelog',
  'CODE_OF_CONDUCT.md': 'Code of conduct',
  'CONTRIBUTING.md': 'Contributing',
  'README.md': 'Conch',
  'SECURITY.md': 'Security policy',
  'bench/README.md': 'Gateway benchmarks',
  'docs/README.md': 'Documentation',
  'docs/api.md': 'API reference',
  'docs/architecture.md': 'Architecture',
  'docs/bench.md': 'Benchmark a server with `conch bench`',
  'docs/benchmarks.md': 'Benchmarks',
  'docs/cli.md': 'Command-line reference',
  'docs/contributing/add-a-contract.md': 'Add a contract',
  'docs/contributing/add-a-metric.md': 'Add a metric',
  'docs/contributing/add-a-setting.md': 'Add a setting',
  'docs/contributing/add-a-tool-parser.md': 'Add a tool parser',
  'docs/contributing/add-an-endpoint.md': 'Add an endpoint',
  'docs/contributing/voice.md': 'Voice',
  'docs/decisions/bos-detection.md': 'Detect from the tokenizer whether a server adds BOS',
  'docs/decisions/bundling.md': 'Bundle the program into a few files',
  'docs/decisions/chat-templates.md': 'Evaluate chat templates with our own Jinja interpreter',
  'docs/decisions/circuit-breakers.md': 'Circuit breakers choose between servers and never reject requests',
  'docs/decisions/compiled-code.md': 'Reuse compiled code at start-up',
  'docs/decisions/detokenization.md': 'Detokenize in Conch for engines that return tokens',
  'docs/decisions/embedded-binding.md': "Call llama.cpp's binding below node-llama-cpp's sequences",
  'docs/decisions/embedded-threads.md': 'Default number of threads of the embedded engine',
  'docs/decisions/engine-failures.md': 'Treat one engine error as a failure and do not retry its request',
  'docs/decisions/grammar-cost.md': 'Check grammars before llama.cpp compiles them',
  'docs/decisions/http2-client.md': 'Call Triton with our own HTTP/2 client',
  'docs/decisions/kserve-json.md': 'Parse KServe HTTP bodies with our own JSON parser',
  'docs/decisions/kserve-routes.md': 'Match KServe paths with patterns instead of Fastify routes',
  'docs/decisions/load-engine.md': 'Share one load engine with its own HTTP connections',
  'docs/decisions/metric-instruments.md': 'Use our own counters and histograms',
  'docs/decisions/optional-outputs.md': 'Request only the needed outputs from the vLLM backend',
  'docs/decisions/prompt-thread.md': 'Run tokenizers and large templates in one thread',
  'docs/decisions/push-streaming.md': 'Push tokens from Triton to the client synchronously',
  'docs/decisions/request-plans.md': 'Plan a request, then run the plan',
  'docs/decisions/response-store.md': 'Store responses in SQLite or PostgreSQL',
  'docs/decisions/rooms.md': 'One folder per concern, with imports in one direction',
  'docs/decisions/stream-errors.md': 'Read stream errors from messages instead of gRPC status',
  'docs/decisions/structured-output-after-reasoning.md': 'Run structured output after reasoning as two inferences',
  'docs/decisions/token-cache.md': 'Cache the tokens of a growing conversation',
  'docs/decisions/worker-cost.md': 'Cost of several workers',
  'docs/deployment.md': 'Deployment',
  'docs/embedded.md': 'Embedded engine',
  'docs/embeddings.md': 'Embeddings, rerank and classification',
  'docs/errors.md': 'Errors',
  'docs/gemini.md': 'Gemini API',
  'docs/glossary.md': 'Glossary',
  'docs/images.md': 'Images',
  'docs/limits.md': 'Limits, CORS and TLS',
  'docs/lora.md': 'LoRA adapters',
  'docs/many-servers.md': 'Run several Triton servers',
  'docs/messages.md': 'Anthropic Messages API',
  'docs/migrating-from-openai-trtllm.md': 'Migrate from openai_trtllm',
  'docs/migrating-from-triton-openai-frontend.md': "Migrate from Triton's OpenAI frontend",
  'docs/migrating-from-vllm.md': 'Migrate from vLLM',
  'docs/model-repository.md': 'Model repositories',
  'docs/models.md': 'Load and unload models',
  'docs/observability.md': 'Observability',
  'docs/ollama.md': 'Ollama API',
  'docs/parameters.md': 'Request fields by backend',
  'docs/quick-start.md': 'Quick start',
  'docs/release.md': 'Releases',
  'docs/reliability.md': 'Reliability',
  'docs/responses.md': 'Responses API',
  'docs/scaling.md': 'Scaling',
  'docs/security.md': 'Security',
  'docs/servers.md': 'Backends',
  'docs/settings.md': 'Settings',
  'docs/tensorrt-llm.md': 'TensorRT-LLM',
  'docs/tool-calling.md': 'Tool calling and reasoning',
  'docs/troubleshooting.md': 'Troubleshooting',
  'docs/vllm.md': 'vLLM backend',
  'docs/web-ui.md': 'Web UI',
  'examples/README.md': 'Examples',
  'examples/open-webui.md': 'Open WebUI',
};

/** The reason for pages that `npm run docs` and the benchmarks write: mend the texts in the sources first. */
const generated = 'generated from texts that do not follow the rules yet';

/**
 * Where a rule does not apply, each with its reason: everywhere, in a file, in a section, or for a phrase. An exception
 * that nothing needs is a problem too.
 * @type {readonly Exception[]}
 */
export const exceptions = [
  { rules: ['sentence', 'line'], file: 'docs/benchmarks.md', reason: generated },
  {
    rules: ['word', 'riddle'],
    file: 'docs/contributing/voice.md',
    reason: 'lists the words to avoid, with examples',
  },
  {
    rules: ['title'],
    file: '.github/pull_request_template.md',
    reason: 'GitHub shows the title of the pull request above it',
  },
  {
    rules: ['line'],
    file: 'docs/bench.md',
    phrase: /^(?:Warning|Load): /,
    reason: 'output of a program, which does not break its lines',
  },
  ...[
    ['src/bench/report/html.ts', 'HTML'],
    ['src/cli/completions/bash.ts', 'a shell script'],
    ['src/cli/completions/fish.ts', 'a shell script'],
    ['src/cli/completions/zsh.ts', 'a shell script'],
    ['src/http/openapi/reference-page.ts', 'CSS'],
    ['src/json-schema/validate.ts', 'a list of keywords'],
    ['src/limits/redis-rates.ts', 'a Lua script'],
    ['src/plot/svg.ts', 'CSS'],
    ['src/repository/trtllm-tensors.ts', 'tables of tensors'],
    ['src/responses/store/postgres-schema.ts', 'SQL'],
    ['src/responses/store/postgres-store.ts', 'SQL'],
    ['src/responses/store/postgres-sweeper.ts', 'SQL'],
    ['src/responses/store/sqlite-file.ts', 'SQL'],
    ['src/responses/store/sqlite-responses.ts', 'SQL'],
    ['src/servers/managed/child.ts', 'a shell script'],
    ['src/servers/remote/http2/static-table.ts', 'a list of header names'],
  ].map(([file = '', content]) => ({
    rules: /** @type {const} */ (['sentence']),
    file,
    reason: `${content}, not prose`,
  })),
  { rules: ['word', 'riddle'], file: 'src/bench/words.ts', reason: 'words for generated prompts' },
  {
    rules: ['word', 'riddle'],
    file: 'src/generate/structured-prompt.ts',
    reason: 'instructions to the model, whose output depends on the words',
  },
  {
    rules: ['word', 'sentence'],
    file: 'src/generate/tool-prompt.ts',
    reason: 'instructions to the model, whose output depends on the words',
  },
  { rules: ['word'], phrase: /content type of a form/, reason: 'forms of HTML' },
  {
    rules: ['name'],
    file: 'web/chat/history.ts',
    phrase: /asked|fault/,
    reason: 'fields that 0.1.0 stored in browsers',
  },
  { rules: ['name'], file: 'src/cli/repo/fill.ts', phrase: /inPlace/, reason: 'the flag --in-place' },
  { rules: ['word'], phrase: /in binary form/, reason: 'an encoding, not a schema' },
  { rules: ['word'], phrase: /template variables?/, reason: 'variables of Jinja, not of the environment' },
  { rules: ['word'], phrase: /follow-up questions/, reason: 'the name of a feature of Open WebUI' },
];

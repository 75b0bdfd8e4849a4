import type { ChatRequest } from './request.ts';

/** Where a request is sent, and whether it needs an API key. */
export interface Target {
  /** Without a slash at the end: http://localhost:9000/v1. */
  readonly base: string;
  readonly hasKey: boolean;
}

/** The languages of the snippets. */
export const languages = ['curl', 'Python', 'TypeScript'] as const;

export type Language = (typeof languages)[number];

/** A program that sends the request. It never contains the key. */
export function snippet(language: Language, request: ChatRequest, target: Target): string {
  return writers[language](request, target);
}

const writers: Readonly<Record<Language, (request: ChatRequest, target: Target) => string>> = {
  curl: (request, { base, hasKey }) => {
    const lines = [
      `curl -N ${shellQuoted(`${base}/chat/completions`)}`,
      "-H 'content-type: application/json'",
      ...(hasKey ? ['-H "authorization: Bearer $CONCH_API_KEY"'] : []),
      `-d ${shellQuoted(JSON.stringify(request, undefined, 2))}`,
    ];
    return lines.join(' \\\n  ');
  },
  Python: (request, { base, hasKey }) => {
    const entries = Object.entries(request);
    const own = entries.filter(([name]) => namedInOpenAi.has(name));
    const others = Object.fromEntries(entries.filter(([name]) => !namedInOpenAi.has(name)));
    const parameters = [
      ...own.map(([name, value]) => `    ${name}=${pythonText(value, '    ')},`),
      ...(Object.keys(others).length > 0 ? [`    extra_body=${pythonText(others, '    ')},`] : []),
    ];
    return `${hasKey ? 'import os\n\n' : ''}from openai import OpenAI

client = OpenAI(base_url=${pythonText(base)}, api_key=${hasKey ? 'os.environ["CONCH_API_KEY"]' : '"none"'})
stream = client.chat.completions.create(
${parameters.join('\n')}
)
for chunk in stream:
    if chunk.choices and chunk.choices[0].delta.content:
        print(chunk.choices[0].delta.content, end="", flush=True)
`;
  },
  TypeScript: (request, { base, hasKey }) => `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${JSON.stringify(base)},
  apiKey: ${hasKey ? "process.env['CONCH_API_KEY']" : "'none'"},
});
const request = ${JSON.stringify(request, undefined, 2)};
const stream = await client.chat.completions.create(request as OpenAI.ChatCompletionCreateParamsStreaming);
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
`,
};

/** The parameters of OpenAI's Python package. Other fields go into `extra_body`. */
const namedInOpenAi = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'n',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'metadata',
  'user',
]);

/** A text as one shell argument. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A JSON value as a Python literal. */
function pythonText(value: unknown, indent = ''): string {
  const inner = `${indent}    `;
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((each) => `${inner}${pythonText(each, inner)},\n`).join('')}${indent}]`;
  }
  if (typeof value === 'object') {
    const entries = Object.entries(value);
    if (entries.length === 0) return '{}';
    const lines = entries.map(([name, each]) => `${inner}${JSON.stringify(name)}: ${pythonText(each, inner)},\n`);
    return `{\n${lines.join('')}${indent}}`;
  }
  return JSON.stringify(value);
}

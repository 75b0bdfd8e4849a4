/** What a model has replied, whatever the API: its text, and its calls in their order. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly ReplyCall[];
}

export interface ReplyCall {
  readonly name: string;
  /** Of the Responses API. */
  readonly namespace?: string;
  readonly arguments: unknown;
}

type Json = Record<string, unknown>;

/** Reads the reply of any API, streamed or not; undefined for a path that runs no model. */
export function replyOf(path: string, contentType: string, text: string): Reply | undefined {
  const [route = ''] = path.split('?');
  const reader = readers.find(({ pattern }) => pattern.test(route))?.read;
  if (reader === undefined) return undefined;
  const isStream = !contentType.startsWith('application/json');
  return reader(isStream ? eventsIn(text, contentType) : [JSON.parse(text) as Json], isStream);
}

const readers: readonly { pattern: RegExp; read: (events: Json[], isStream: boolean) => Reply }[] = [
  { pattern: /\/responses$/, read: readResponses },
  { pattern: /\/messages$/, read: readMessages },
  { pattern: /\/chat\/completions$/, read: readChat },
  { pattern: /:(?:generateContent|streamGenerateContent)$/, read: readGemini },
  { pattern: /\/api\/chat$/, read: readOllama },
];

/**
 * The data of the events of a stream, whether they are named or not; comments and `[DONE]` are left out. Ollama's
 * streams have an object in each line.
 */
function eventsIn(text: string, contentType: string): Json[] {
  if (contentType.startsWith('application/x-ndjson'))
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Json]));
  return text.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event.split(/\r?\n/).find((line) => line.startsWith('data: '));
    return data === undefined || data === 'data: [DONE]' ? [] : [JSON.parse(data.slice('data: '.length)) as Json];
  });
}

function readResponses(events: Json[], isStream: boolean): Reply {
  const response = isStream ? events.find(({ type }) => type === 'response.completed')?.['response'] : events[0];
  if (response === undefined)
    throw new Error(`The stream ends without response.completed: ${JSON.stringify(events.at(-1))}`);
  const output = (response as { output: Json[] }).output;
  const texts = output.flatMap(({ type, content }) => (type === 'message' ? (content as { text: string }[]) : []));
  const calls = output.flatMap((item): ReplyCall[] => {
    const { type, name, namespace } = item as { type: string; name: string; namespace?: string };
    const more = namespace === undefined ? {} : { namespace };
    if (type === 'custom_tool_call') return [{ name, ...more, arguments: item['input'] }];
    return type === 'function_call' ? [{ name, ...more, arguments: JSON.parse(String(item['arguments'])) }] : [];
  });
  return { text: texts.map(({ text }) => text).join(''), calls };
}

interface Block {
  readonly type: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly text?: string;
}

function readMessages(events: Json[], isStream: boolean): Reply {
  const blocks = isStream ? streamedBlocks(events) : (events[0] as { content: Block[] }).content;
  return {
    text: blocks.map(({ text = '' }) => text).join(''),
    calls: blocks.flatMap(({ type, name = '', input }) => (type === 'tool_use' ? [{ name, arguments: input }] : [])),
  };
}

function streamedBlocks(events: Json[]): Block[] {
  if (events.at(-1)?.['type'] !== 'message_stop')
    throw new Error(`The stream ends without message_stop: ${JSON.stringify(events.at(-1))}`);
  const starts = events.filter(({ type }) => type === 'content_block_start');
  return starts.map((start) => {
    const block = start['content_block'] as Block;
    const deltas = events.filter(({ type, index }) => type === 'content_block_delta' && index === start['index']);
    const pieces = deltas.map(({ delta }) => delta as { text?: string; partial_json?: string });
    if (block.type === 'text') return { ...block, text: pieces.map(({ text = '' }) => text).join('') };
    if (block.type !== 'tool_use') return block;
    return {
      ...block,
      input: JSON.parse(pieces.map(({ partial_json: json = '' }) => json).join('') || '{}') as unknown,
    };
  });
}

interface ChatMessage {
  readonly content?: string | null;
  readonly tool_calls?: { index?: number; function: { name?: string; arguments?: string } }[];
}

function readChat(events: Json[], isStream: boolean): Reply {
  const messages = events.flatMap(({ choices = [] }) =>
    (choices as Json[]).map((choice) => choice[isStream ? 'delta' : 'message'] as ChatMessage),
  );
  const calls: { name: string; json: string }[] = [];
  for (const { tool_calls: deltas = [] } of messages) {
    for (const [position, delta] of deltas.entries()) {
      const call = (calls[delta.index ?? position] ??= { name: '', json: '' });
      call.name += delta.function.name ?? '';
      call.json += delta.function.arguments ?? '';
    }
  }
  return {
    text: messages.map(({ content }) => content ?? '').join(''),
    calls: calls.map(({ name, json }) => ({ name, arguments: JSON.parse(json) as unknown })),
  };
}

interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { name: string; args: unknown };
}

function readGemini(events: Json[]): Reply {
  const parts = events.flatMap(({ candidates = [] }) =>
    (candidates as { content?: { parts?: GeminiPart[] } }[]).flatMap(({ content }) => content?.parts ?? []),
  );
  return {
    text: parts.map(({ text = '', thought = false }) => (thought ? '' : text)).join(''),
    calls: parts.flatMap(({ functionCall: call }) => (call ? [{ name: call.name, arguments: call.args }] : [])),
  };
}

interface OllamaMessage {
  readonly content?: string;
  readonly tool_calls?: { function: ReplyCall }[];
}

function readOllama(events: Json[]): Reply {
  if (events.at(-1)?.['done'] !== true)
    throw new Error(`The stream ends without done: ${JSON.stringify(events.at(-1))}`);
  const messages = events.map(({ message }) => message as OllamaMessage);
  const calls = messages.flatMap(({ tool_calls: calls = [] }) => calls);
  return {
    text: messages.map(({ content = '' }) => content).join(''),
    calls: calls.map(({ function: { name, arguments: values } }) => ({ name, arguments: values })),
  };
}

import { beforeAll, describe, expect, it } from 'vitest';
import { fittingReasoningFormat } from '../../src/output/reasoning/formats.ts';
import { findToolFormat, fittingToolFormat } from '../../src/output/tools/formats.ts';
import type { ChatTemplate, TemplateMessage } from '../../src/prompt/chat-template.ts';
import { Recording, type Value } from '../support/tool-recording.ts';
import { type Family, families, loadTemplate, templateOf } from './template-families.ts';

const date = { date_string: '26 Jul 2024' };

const searched = {
  query: 'Zürich "quoted" \\back\\ 東京 😀\nnext {"name": "ping"}',
  filter: { all: [{ key: 'a b', is: null }, { '}': ['</tool_call>', ']'] }], none: {} },
  exact: false,
  limit: -2.5e-7,
};
const pinged = {};

/** As OpenAI's clients send them: the arguments are the JSON text. */
const calls = [
  { id: 'abc123def', type: 'function', function: { name: 'search', arguments: JSON.stringify(searched) } },
  { id: 'abc123deg', type: 'function', function: { name: 'ping', arguments: JSON.stringify(pinged) } },
];
const tools = [
  {
    type: 'function',
    function: {
      name: 'search',
      description: 'Looks for something',
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string' },
          filter: { type: 'object' },
          exact: { type: 'boolean' },
          limit: { type: 'number' },
        },
      },
    },
  },
  {
    type: 'function',
    function: { name: 'ping', description: 'Answers', parameters: { type: 'object', properties: {} } },
  },
];
const offered = tools.map(({ function: { name, parameters } }) => ({ name, parameters }));

const query: TemplateMessage = { role: 'user', content: 'Where is it?' };
const turn = (count: number): TemplateMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: calls.slice(0, count),
});
const results = [
  { role: 'tool', tool_call_id: 'abc123def', content: '{"found": "über"}' },
  { role: 'tool', tool_call_id: 'abc123deg', content: 'pong' },
];

const render = (template: ChatTemplate, messages: TemplateMessage[], addGenerationPrompt = false) =>
  template.render({ messages, tools, addGenerationPrompt, continueFinalMessage: false, variables: date });

/** What the model would have written for these calls, by its own template, and the prompt before it. */
async function responseWith(family: Family, count: number): Promise<{ prompt: string; response: string }> {
  const { template, endOfTurn } = await loadTemplate(family);
  const prompt = await render(template, [query], true);
  const whole = await render(template, [query, turn(count)]);
  // The prompt may open the reasoning, which the template leaves out of a turn that has none.
  const handles = /<think>\s*$/.exec(prompt)?.[0] ?? '';
  const isHandles = handles !== '' && !whole.startsWith(prompt);
  const shared = isHandles ? prompt.slice(0, -handles.length) : prompt;
  expect(whole.startsWith(shared)).toBe(true);
  let [response = ''] = whole.slice(shared.length).split(endOfTurn === '' ? /$/ : endOfTurn);
  for (const special of family.specials ?? []) response = response.replaceAll(special, '');
  return { prompt, response: isHandles ? `</think>\n\n${response}` : response };
}

interface Read {
  readonly value: readonly Value[];
  readonly reasoning: string;
}

/** What Conch reads from the pieces of an answer: reasoning is told apart first, what is left may be a call. */
function read({ text }: ChatTemplate, prompt: string, pieces: readonly string[]): Read {
  const parser = fittingToolFormat(text)?.parser({ tools: offered, mostHeld: 65_536 });
  if (!parser) throw new Error('No format fits the template');
  const reasoningParser = fittingReasoningFormat(text)?.parser({ prompt });
  const recording = new Recording();
  let reasoning = '';
  const sink = {
    reasoning: (thought: string) => void (reasoning += thought),
    text: (rest: string) => parser.push(rest, recording),
  };
  for (const piece of pieces)
    if (reasoningParser) reasoningParser.push(piece, sink);
    else sink.text(piece);
  reasoningParser?.end(sink);
  parser.end(recording);
  return { value: recording.given, reasoning };
}

/** Each way to cut the answer in two, and one character at a time. */
function* cuts(response: string): Generator<string[]> {
  for (let at = 0; at <= response.length; at++) yield [response.slice(0, at), response.slice(at)];
  yield response.split('');
}

const turns = families.flatMap((family) =>
  Array.from({ length: family.most }, (_, at) => ({ family, name: family.name, count: at + 1 })),
);

// What is not in the cache yet is fetched.
beforeAll(async () => {
  for (const family of families) await loadTemplate(family);
}, 120_000);

describe('calls as a chat template writes them', () => {
  it.each(families)('are of the format that is found for it: $name writes $format', async (family) => {
    const { template } = await loadTemplate(family);
    expect(fittingToolFormat(template.text)).toBe(findToolFormat(family.format));
  });

  it.each(turns)('are read again, however they are cut: $name, $count', async ({ family, count }) => {
    const { template } = await loadTemplate(family);
    const { prompt, response } = await responseWith(family, count);
    const expected = [
      { call: 'search', arguments: searched, isComplete: true },
      { call: 'ping', arguments: pinged, isComplete: true },
    ].slice(0, count);
    for (const pieces of cuts(response)) {
      const { value, reasoning } = read(template, prompt, pieces);
      const parsed = value.map((part) =>
        'call' in part ? { ...part, arguments: JSON.parse(part.arguments) as unknown } : part,
      );
      expect({ parsed, reasoning: reasoning.trim() }).toEqual({ parsed: expected, reasoning: '' });
    }
  });

  it('are refused where the template writes only one', async () => {
    const { template } = await templateOf('llama3_2');
    await expect(render(template, [query, turn(2)])).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'messages',
      message: 'This model only supports single tool-calls at once!',
    });
  });
});

describe('a history with calls and their results', () => {
  it.each(turns)('is rendered with every part of it: $name, $count', async ({ family, count }) => {
    const { template } = await loadTemplate(family);
    const history = [query, turn(count), ...results.slice(0, count)];
    const whole = await render(template, history, true);
    // The templates of Qwen and DeepSeek leave the reasoning of a turn out once it is answered.
    const response = (await responseWith(family, count)).response.replace(/^(<think>\s*)?<\/think>\s*/, '');
    const [, ...after] = whole.split(response);
    // Llama's template writes a result as a JSON string.
    const missing = results
      .slice(0, count)
      .filter(({ content }) => !after.some((text) => text.includes(content) || text.includes(JSON.stringify(content))));
    expect(after).toHaveLength(1);
    expect(missing).toEqual([]);
  });

  it.each(['llama3', 'gemma3'] as const)('has no place for calls in the template of %s', async (name) => {
    const { template } = await templateOf(name);
    expect({ tools: template.mentions('tools'), format: fittingToolFormat(template.text)?.name }).toEqual({
      tools: false,
      format: undefined,
    });
  });
});

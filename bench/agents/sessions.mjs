/** Sessions of coding agents: what a recording has of a client's requests, continued for any number of turns. */
import { readFileSync } from 'node:fs';
import { sampleText } from '../sample-text.mjs';

/**
 * Bodies are JSON of other programs, which only a recording describes: any.
 *
 * @typedef {{ method: string, path: string, headers: Record<string, string>, body?: Record<string, any> }} AgentRequest
 * @typedef {{ name: string, arguments: Record<string, unknown> }} Call
 * @typedef {{ scenario: string, reply?: { calls: Call[] } } & AgentRequest} RecordedRequest
 * @typedef {{ client: string, version: string, requests: RecordedRequest[], tools: unknown[] }} Recording
 * @typedef {{ client: string, api: string, list: string, setResult: (item: any, text: string) => void }} Agent
 */

/** @type {Agent[]} */
export const AGENTS = [
  {
    client: 'codex',
    api: '/v1/responses',
    list: 'input',
    setResult: (item, text) => Object.assign(item, { output: text }),
  },
  {
    client: 'claude-code',
    api: '/v1/messages',
    list: 'messages',
    setResult: (item, text) => Object.assign(item.content[0], { content: text }),
  },
  {
    client: 'opencode',
    api: '/v1/chat/completions',
    list: 'messages',
    setResult: (item, text) => Object.assign(item, { content: text }),
  },
  {
    client: 'gemini-cli',
    api: ':streamGenerateContent',
    list: 'contents',
    setResult: (item, text) => Object.assign(item.parts[0].functionResponse, { response: { output: text } }),
  },
];

/** The words with which the recorded user begins, followed by the script of the toy model. */
const TASK = /^Write shell 7 down\. .*$/s;
const TASK_TEXT = 'Read the sources, and say what they do.';
const COMMAND = /echo the tide is \$\(\(6 \* 7\)\)/g;
const LENGTH = /<<(\d+) characters>>/g;
const CALL_ID = /call_\d{12}(\d{12})/g;

/**
 * @param {string} client
 * @returns {Recording}
 */
export function readRecording(client) {
  return JSON.parse(readFileSync(new URL(`../../test/agents/recordings/${client}.json`, import.meta.url), 'utf8'));
}

/**
 * A value with all its texts changed.
 * @param {any} value
 * @param {(text: string) => string} change
 * @returns {any}
 */
function withTexts(value, change) {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withTexts(inner, change)]));
}

/** Texts that a recording only has the length of: two of one length are different texts. */
function textFiller() {
  let seed = 1;
  return (/** @type {string} */ text) =>
    text.replaceAll(LENGTH, (_, length) => sampleText(seed++, Number(length))).replace(TASK, TASK_TEXT);
}

/**
 * The requests of a recording with its tools and with texts of the recorded lengths.
 * @param {Recording} recording
 * @param {string} model
 * @returns {RecordedRequest[]}
 */
export function fullRequests({ requests, tools }, model) {
  const lists = tools.map((list) => withTexts(list, textFiller()));
  return requests.map(({ body, path, ...request }) => {
    const where = { ...request, path: path.replace('/agent:', `/${model}:`) };
    if (body === undefined) return where;
    const texts = withTexts({ ...body, tools: undefined }, textFiller());
    const named = texts.model === undefined ? texts : { ...texts, model };
    return { ...where, body: body['tools'] === undefined ? named : { ...named, tools: lists[body['tools']] } };
  });
}

/**
 * The functions of an item in a list of tools.
 * @param {any} tool
 * @returns {unknown[]}
 */
const declarations = (tool) => tool.functionDeclarations ?? tool.tools ?? [tool];

/**
 * How a client works on a task: requests before the first turn, and those of each turn, which adds a call and its result.
 * @param {Agent} agent
 * @param {string} model
 */
export function agentSession({ client, list, setResult }, model) {
  const recording = readRecording(client);
  const work = fullRequests(recording, model).filter(({ scenario }) => scenario === 'work');
  const turns = work.filter(({ body }) => body?.['tools'] !== undefined);
  const [first, second] = turns;
  const call = first?.reply?.calls[0];
  if (first?.body === undefined || second?.body === undefined || call === undefined)
    throw new Error(`The recording of ${client} has no tool call.`);
  const start = /** @type {unknown[]} */ (first.body[list]);
  const step = /** @type {unknown[]} */ (second.body[list].slice(start.length));
  return {
    client,
    version: recording.version,
    call,
    tools: /** @type {unknown[]} */ (first.body['tools']).flatMap(declarations).length,
    before: work.slice(0, work.indexOf(first)),
    /**
     * The requests of one session.
     * @param {{ session: number, turns: number, characters: number }} options `characters`: of each result
     * @returns {AgentRequest[]}
     */
    turns({ session, turns: count, characters }) {
      const items = withTexts(start, (text) => (text === TASK_TEXT ? `${TASK_TEXT} This is task ${session}.` : text));
      return Array.from({ length: count }, (_, turn) => {
        if (turn > 0) {
          const id = String(session * 1000 + turn).padStart(12, '0');
          const added = withTexts(step, (text) =>
            text.replaceAll(CALL_ID, `call_${id}$1`).replaceAll(COMMAND, `cat src/part-${id}.ts`),
          );
          setResult(added.at(-1), sampleText(session * 1000 + turn, characters));
          items.push(...added);
        }
        return { ...first, body: { ...first.body, [list]: [...items] } };
      });
    },
  };
}

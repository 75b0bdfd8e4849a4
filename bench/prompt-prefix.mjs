/**
 * Tokens that the prompts of two requests of Claude Code have in common at their start, with its line
 * `x-anthropic-billing-header` and without. A server that stores the prefix of a prompt computes only the rest. Claude
 * Code begins the system prompt with the line, which differs per session; Conch removes it. The requests are those of
 * the recording in test/agents, with texts of the recorded lengths.
 *
 *   node bench/prompt-prefix.mjs [--family qwen3] [--turns 4]
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../scripts/lib/build.mjs';
import { tokenizers } from '../scripts/lib/tokenizers.mjs';
import { AGENTS, agentSession } from './agents/sessions.mjs';
import { markdownTable } from './markdown.mjs';
import { loadSources } from './sources.mjs';

/** @import { Agent, AgentRequest } from './agents/sessions.mjs' */

const RESULT_CHARACTERS = 2000;
const NO_TOKENS = new Int32Array();
const { values } = parseArgs({
  options: { family: { type: 'string', default: 'qwen3' }, turns: { type: 'string', default: '4' } },
});

await build();
const [{ loadPromptAssets }, { promptThread }, { toChat }] = await loadSources(
  'prompt/assets.ts',
  'prompt/prompt-thread.ts',
  'apis/anthropic/to-chat.ts',
);
const folder = path.join(await tokenizers(), values.family);
const { template, tokenizer } = await loadPromptAssets({ tokenizer: folder, hub: {} });

/**
 * The request of another session: the line has other characters there.
 * @param {AgentRequest} request
 * @param {string} session
 */
function inSession(request, session) {
  const [line, ...rest] = request.body?.['system'] ?? [];
  if (!line?.text.startsWith('x-anthropic-billing-header:')) throw new Error('The recording has no billing line.');
  return { ...request.body, system: [{ ...line, text: line.text.replace('.abc;', `.${session};`) }, ...rest] };
}

/**
 * The tokens of a request's prompt.
 * @param {any} body
 * @param {boolean} hasLine whether the prompt begins with the billing line, as without Conch
 * @returns {Promise<Int32Array>}
 */
async function idsOf(body, hasLine) {
  const { chat } = toChat(body);
  const [system, ...messages] = chat.messages;
  if (JSON.stringify(system).includes('x-anthropic-billing-header')) throw new Error('Conch left the billing line in.');
  const parts = typeof system.content === 'string' ? [{ type: 'text', text: system.content }] : system.content;
  const first = hasLine ? { ...system, content: [body.system[0], ...parts] } : system;
  const input = { messages: [first, ...messages], tools: chat.tools, variables: chat.chat_template_kwargs ?? {} };
  const prompt = await template.render({ ...input, addGenerationPrompt: true, continueFinalMessage: false });
  return tokenizer.encode(prompt, { addSpecialTokens: false });
}

/**
 * @param {Int32Array} one
 * @param {Int32Array} other
 */
function sharedLength(one, other) {
  const end = one.findIndex((id, at) => id !== other[at]);
  return end < 0 ? one.length : end;
}

const agent = /** @type {Agent} */ (AGENTS.find(({ client }) => client === 'claude-code'));
const claude = agentSession(agent, 'bench');
const options = { turns: Number(values.turns), characters: RESULT_CHARACTERS };
const one = claude.turns({ session: 1, ...options }).map((request) => inSession(request, '3f9'));
const other = claude.turns({ session: 2, ...options }).map((request) => inSession(request, 'c41'));
const pairs = [
  { name: 'first turns of two sessions', requests: [one[0], other[0]] },
  { name: `turns ${options.turns - 1} and ${options.turns} of one session`, requests: one.slice(-2) },
];
const rows = [['requests', 'shared prefix with the line', 'without it']];
for (const { name, requests } of pairs) {
  const shared = [];
  for (const hasLine of [true, false]) {
    const [first = NO_TOKENS, second = NO_TOKENS] = await Promise.all(requests.map((body) => idsOf(body, hasLine)));
    shared.push(`${sharedLength(first, second)} of ${first.length} tokens`);
  }
  rows.push([name, ...shared]);
}
process.stdout.write(`Claude Code ${claude.version}, tokenizer ${values.family}\n${markdownTable(rows)}\n`);
await promptThread.stop();

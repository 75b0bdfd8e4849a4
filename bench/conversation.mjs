/**
 * CPU time of the prompt of a long conversation with one new message, with the token cache and without: template and tokenization, all
 * threads of this process. The two take turns, and their ids are compared. The table has the least of all turns: other load adds to it.
 *
 *   node bench/conversation.mjs [--tokens 50000] [--messages 100] [--turns 20] [--tools 0] [--families llama3_2,qwen3]
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../scripts/lib/build.mjs';
import { tokenizers } from '../scripts/lib/tokenizers.mjs';
import { markdownTable } from './markdown.mjs';
import { wordSource } from './sample-text.mjs';
import { loadSources } from './sources.mjs';

/** @import { ChatTemplate } from '../src/prompt/chat-template.ts' */
/** @import { Tokenizer } from '../src/tokenizer.ts' */

const FAMILIES = 'llama3_2,qwen3,gemma3,mistral_nemo,deepseek_v3';
const WARM_UP = 40;

const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '50000' },
    messages: { type: 'string', default: '100' },
    turns: { type: 'string', default: '20' },
    tools: { type: 'string', default: '0' },
    families: { type: 'string', default: FAMILIES },
  },
});

const words = wordSource(1);

const tools = Array.from({ length: Number(values.tools) }, (_, index) => ({
  type: 'function',
  function: {
    name: `tool_${index}`,
    description: words(60),
    parameters: {
      type: 'object',
      properties: { path: { type: 'string', description: words(15) } },
      required: ['path'],
    },
  },
}));

/** @param {{ role: string, content: string }[]} messages */
function inputOf(messages) {
  const value = tools.length > 0 ? { tools } : {};
  return { messages, ...value, addGenerationPrompt: true, continueFinalMessage: false, variables: {} };
}

/**
 * Milliseconds of CPU, and what came of it.
 * @template Result
 * @param {() => Promise<Result>} work
 */
async function measured(work) {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, result };
}

/** @param {{ template: ChatTemplate, cached: Tokenizer, plain: Tokenizer }} model */
async function measureFamily({ template, cached, plain }) {
  const options = { addSpecialTokens: false };
  const perMessage = Number(values.tokens) / Number(values.messages) / 1.35;
  /** @type {{ role: string, content: string }[]} */
  const messages = [];
  const speak = (/** @type {number} */ length) =>
    messages.push({ role: messages.length % 2 === 0 ? 'user' : 'assistant', content: words(length) });
  while (messages.length < Number(values.messages) || messages.length % 2 === 0) speak(perMessage);
  const whole = async () => plain.encode(await template.renderInThread(inputOf(messages)), options);
  const grown = async () => cached.encode(await template.render(inputOf(messages)), options);
  // Compiled code, as in a server that has run for a while.
  for (let turn = 0; turn < WARM_UP; turn++) await grown();
  await whole();
  /** @type {{ whole: number[], grown: number[] }} */
  const cpu = { whole: [], grown: [] };
  let tokens = 0;
  for (let turn = 0; turn < Number(values.turns); turn++) {
    // A short response to the turn before, and a new message: as an agent sends them.
    speak(10);
    speak(perMessage);
    const [first, second] = turn % 2 === 0 ? [grown, whole] : [whole, grown];
    const [one, two] = [await measured(first), await measured(second)];
    if (Buffer.compare(Buffer.from(one.result.buffer), Buffer.from(two.result.buffer)) !== 0)
      throw new Error('The ids differ.');
    tokens = one.result.length;
    cpu[first === whole ? 'whole' : 'grown'].push(one.cpu);
    cpu[second === whole ? 'whole' : 'grown'].push(two.cpu);
  }
  return { tokens, whole: Math.min(...cpu.whole), grown: Math.min(...cpu.grown) };
}

await build();
const [{ loadPromptAssets }, { promptThread }] = await loadSources('prompt/assets.ts', 'prompt/prompt-thread.ts');
const folder = await tokenizers();
const rows = [['tokenizer', 'tokens', 'whole, ms', 'cached, ms', 'share']];
for (const family of values.families.split(',')) {
  const location = { tokenizer: path.join(folder, family), hub: {} };
  const { template, tokenizer: plain } = await loadPromptAssets(location);
  const { tokenizer: cached } = await loadPromptAssets({ ...location, tokenCacheSize: () => 64 * 2 ** 20 });
  const { tokens, whole, grown } = await measureFamily({ template, cached, plain });
  rows.push([family, String(tokens), whole.toFixed(1), grown.toFixed(2), `${((100 * grown) / whole).toFixed(1)} %`]);
}
console.log(markdownTable(rows));
await promptThread.stop();

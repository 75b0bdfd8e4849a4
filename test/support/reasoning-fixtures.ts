import { findReasoningFormat } from '../../src/output/reasoning/formats.ts';
import type { ReasoningFormat } from '../../src/output/reasoning/reasoning-parser.ts';

/** How a family writes an answer. */
export interface Fixture {
  readonly format: ReasoningFormat;
  readonly way?: string;
  /** What stands before reasoning, and where it ends. */
  readonly open: string;
  readonly close: string;
  /** What stands around text for the user. */
  readonly response?: readonly [before: string, after: string];
  /** All that is no text, also where the answer ends in it. */
  readonly markup: RegExp;
  /** The end of a prompt after which the model does not reason. */
  readonly withoutReasoning: string;
  /** Whether such a prompt is needed to say so. */
  readonly alwaysReasons?: boolean;
  /** What is a marker only wherever it begins a line outside of code; false: it always is. */
  readonly mayMention: boolean;
}

const think = { open: '<think>\n', close: '\n</think>\n\n', markup: /<\/?think>/g, mayMention: true };
const phrases = /Here(?:'s| is) my (?:thought process|response):/g;

/** How each family writes, and where that is written down. */
export const fixtures: readonly Fixture[] = [
  // From the chat template of DeepSeek V3.1.
  {
    ...think,
    format: format('think'),
    open: '<think>',
    close: '</think>',
    withoutReasoning: '<｜Assistant｜></think>',
  },
  // From the chat template of DeepSeek-R1-Distill-Qwen-32B, and vLLM's deepseek_r1 where nothing opens.
  { ...think, format: format('deepseek_r1'), withoutReasoning: '<｜Assistant｜></think>', alwaysReasons: true },
  {
    ...think,
    format: format('deepseek_r1'),
    way: 'nothing opened',
    open: '',
    withoutReasoning: '</think>',
    alwaysReasons: true,
  },
  // From the chat template of Qwen3.
  { ...think, format: format('qwen3'), withoutReasoning: '<|im_start|>assistant\n<think>\n\n</think>\n\n' },
  // From the chat template of GLM-4.6.
  {
    ...think,
    format: format('glm45'),
    open: '<think>',
    close: '</think>\n',
    withoutReasoning: '<|assistant|>\n<think></think>',
  },
  // From the chat templates that Mistral's own package renders.
  {
    format: format('mistral'),
    open: '[THINK]',
    close: '[/THINK]',
    markup: /\[\/?THINK\]/g,
    withoutReasoning: '[/INST]',
    mayMention: false,
  },
  // The phrases from the system prompt in the chat template of Granite 3.2, the short ones from vLLM's parser of it, the
  // tags from the system prompt of Granite 3.3.
  {
    ...think,
    format: format('granite'),
    way: 'phrases',
    markup: phrases,
    open: 'Here is my thought process:\n\n',
    close: '\n\nHere is my response: ',
    withoutReasoning: '<|start_of_role|>assistant<|end_of_role|>',
  },
  {
    ...think,
    format: format('granite'),
    way: 'short phrases',
    markup: phrases,
    open: "Here's my thought process: ",
    close: " Here's my response:\n",
    withoutReasoning: '<|start_of_role|>assistant<|end_of_role|>',
  },
  {
    ...think,
    format: format('granite'),
    way: 'tags',
    markup: /<\/?(?:think|response)>/g,
    open: '<think>',
    close: '</think>\n<response>',
    withoutReasoning: '<|start_of_role|>assistant<|end_of_role|>',
  },
  // From OpenAI's description of the harmony format.
  {
    format: format('gpt-oss'),
    open: '<|channel|>analysis<|message|>',
    close: '<|end|><|start|>assistant',
    markup: /(?:<\|start\|>\w*)?(?:<\|channel\|>\w*)?(?:<\|message\|>|$)|<\|end\|>/g,
    response: ['<|channel|>final<|message|>', '<|end|><|start|>assistant'],
    withoutReasoning: '<|start|>assistant<|channel|>final<|message|>',
    mayMention: false,
  },
];

/** The format of this name or alias. */
export function format(name: string): ReasoningFormat {
  const found = findReasoningFormat(name);
  if (!found) throw new Error(`No format is called ${name}.`);
  return found;
}

export function title({ format, way }: Fixture): string {
  return way === undefined ? format.name : `${format.name}, ${way}`;
}

import { MarkedReasoning, type MarkedReasoningOptions, markedTurn } from './marked-reasoning.ts';
import type { ReasoningFormat } from './reasoning-parser.ts';
import { THINK, THINK_MARKERS } from './think.ts';

const options: MarkedReasoningOptions = { markers: [THINK], beginsInReasoning: true };

/**
 * DeepSeek R1 and what was distilled from it always reason: all before `</think>` is reasoning, whether `<think>` stands
 * in the prompt, in the answer, or nowhere. Later DeepSeeks reason where `thinking` is set and say so in the prompt.
 */
export const deepseekR1: ReasoningFormat = {
  name: 'deepseek_r1',
  aliases: ['deepseek-r1'],
  specialMarkers: [],
  otherMarkers: THINK_MARKERS,
  fits: (template) =>
    template.includes('<｜Assistant｜>') && template.includes('</think>') && !/\bthinking\b/.test(template),
  parser: (given) => new MarkedReasoning(options, given),
  turn: (given) => markedTurn(options, given),
};

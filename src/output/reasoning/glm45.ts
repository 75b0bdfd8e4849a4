import { MarkedReasoning, type MarkedReasoningOptions, markedTurn } from './marked-reasoning.ts';
import type { ReasoningFormat } from './reasoning-parser.ts';
import { THINK, THINK_MARKERS } from './think.ts';

const options: MarkedReasoningOptions = { markers: [THINK], dropsLeadingBlanks: true };

/** GLM-4.5 and later: `\n<think>…</think>\n…`. The newline before either belongs to the header of the message. */
export const glm45: ReasoningFormat = {
  name: 'glm45',
  aliases: ['glm47'],
  specialMarkers: [],
  otherMarkers: THINK_MARKERS,
  fits: (template) => template.includes('[gMASK]') && template.includes('<think>'),
  parser: (given) => new MarkedReasoning(options, given),
  turn: (given) => markedTurn(options, given),
};

import { MarkedReasoning, type MarkedReasoningOptions, markedTurn } from './marked-reasoning.ts';
import type { ReasoningFormat } from './reasoning-parser.ts';

const OPEN = '[THINK]';
const CLOSE = '[/THINK]';

const options: MarkedReasoningOptions = { markers: [{ open: [OPEN], close: [CLOSE] }], areSpecial: true };

/** Magistral and Ministral: `[THINK]…[/THINK]`, also after text. */
export const mistral: ReasoningFormat = {
  name: 'mistral',
  specialMarkers: [OPEN, CLOSE],
  fits: (template) => template.includes(OPEN),
  parser: (given) => new MarkedReasoning(options, given),
  turn: (given) => markedTurn(options, given),
};

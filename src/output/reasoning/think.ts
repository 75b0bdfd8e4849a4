import { MarkedReasoning, type MarkedReasoningOptions, markedTurn } from './marked-reasoning.ts';
import type { ReasoningFormat } from './reasoning-parser.ts';

/** The markers of most families. They are tokens of their own, but in few models such that backends take them out. */
export const THINK = { open: ['<think>'], close: ['</think>'] };

export const THINK_MARKERS: readonly string[] = [...THINK.open, ...THINK.close];

const options: MarkedReasoningOptions = {
  markers: [THINK],
  // Kimi may call a tool without closing its reasoning.
  answerBegins: ['<|tool_calls_section_begin|>'],
};

/** `<think>…</think>`, where the model or the prompt opens it: DeepSeek V3.1, Kimi K2, MiniMax M2 and others. */
export const think: ReasoningFormat = {
  name: 'think',
  aliases: ['deepseek_v3', 'deepseek_v31', 'kimi_k2', 'minimax_m2'],
  specialMarkers: [],
  otherMarkers: THINK_MARKERS,
  fits: (template) => template.includes('<think>') || template.includes('</think>'),
  parser: (given) => new MarkedReasoning(options, given),
  turn: (given) => markedTurn(options, given),
};

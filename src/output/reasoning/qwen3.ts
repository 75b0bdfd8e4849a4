import { MarkedReasoning, type MarkedReasoningOptions, markedTurn } from './marked-reasoning.ts';
import type { ReasoningFormat } from './reasoning-parser.ts';
import { THINK, THINK_MARKERS } from './think.ts';

const options: MarkedReasoningOptions = {
  markers: [THINK],
  // Qwen3.5 may call a tool without closing its reasoning; it also mentions <tool_call> in it, without a function.
  answerBegins: ['<tool_call>\n<function='],
};

/** Qwen3, QwQ and others with their template: the model or the prompt opens `<think>`; without thinking the prompt closes it. */
export const qwen3: ReasoningFormat = {
  name: 'qwen3',
  specialMarkers: [],
  otherMarkers: THINK_MARKERS,
  fits: (template) =>
    template.includes('<|im_start|>') && template.includes('<think>') && template.includes('</think>'),
  parser: (given) => new MarkedReasoning(options, given),
  turn: (given) => markedTurn(options, given),
};

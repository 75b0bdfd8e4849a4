import { MarkedReasoning, type MarkedReasoningOptions, markedTurn } from './marked-reasoning.ts';
import type { ReasoningFormat } from './reasoning-parser.ts';
import { THINK, THINK_MARKERS } from './think.ts';

const options: MarkedReasoningOptions = {
  markers: [
    { ...THINK, answer: { open: '<response>', close: '</response>' } },
    {
      // Quantized models are known to shorten the phrases.
      open: ['Here is my thought process:', "Here's my thought process:"],
      close: ['Here is my response:', "Here's my response:"],
    },
  ],
};

/** Granite: phrases before reasoning and answer in 3.2; `<think>…</think><response>…</response>` since 3.3. */
export const granite: ReasoningFormat = {
  name: 'granite',
  specialMarkers: [],
  otherMarkers: THINK_MARKERS,
  fits: (template) =>
    template.includes('<|start_of_role|>') &&
    (template.includes('Here is my thought process:') || template.includes('<think>')),
  parser: (given) => new MarkedReasoning(options, given),
  turn: (given) => markedTurn(options, given),
};

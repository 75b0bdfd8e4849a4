import { MarkedReasoning, type MarkedReasoningOptions, markedTurn } from './marked-reasoning.ts';
import type { ReasoningFormat } from './reasoning-parser.ts';

/** The markers of most families. They are tokens of their own, but in few models special ones that backends remove. */
const THINK = { open: ['<think>'], close: ['</think>'] };
const THINK_FORMAT = { specialMarkers: [], otherMarkers: [...THINK.open, ...THINK.close] };

function marked(options: MarkedReasoningOptions, format: Omit<ReasoningFormat, 'parser' | 'turn'>): ReasoningFormat {
  return {
    ...format,
    parser: (context) => new MarkedReasoning(options, context),
    turn: (context) => markedTurn(options, context),
  };
}

/** Magistral and Ministral: `[THINK]…[/THINK]`, also after text. */
export const mistral = marked(
  { markers: [{ open: ['[THINK]'], close: ['[/THINK]'] }], areSpecial: true },
  { name: 'mistral', specialMarkers: ['[THINK]', '[/THINK]'], fits: (template) => template.includes('[THINK]') },
);

/** Granite: phrases before reasoning and response in 3.2; `<think>…</think><response>…</response>` since 3.3. */
export const granite = marked(
  {
    markers: [
      { ...THINK, response: { open: '<response>', close: '</response>' } },
      {
        // Quantized models are known to shorten the phrases.
        open: ['Here is my thought process:', "Here's my thought process:"],
        close: ['Here is my response:', "Here's my response:"],
      },
    ],
  },
  {
    ...THINK_FORMAT,
    name: 'granite',
    fits: (template) =>
      template.includes('<|start_of_role|>') &&
      (template.includes('Here is my thought process:') || template.includes('<think>')),
  },
);

/** GLM-4.5 and later: `\n<think>…</think>\n…`. The newline before either belongs to the header of the message. */
export const glm45 = marked(
  { markers: [THINK], dropsLeadingBlanks: true },
  {
    ...THINK_FORMAT,
    name: 'glm45',
    aliases: ['glm47'],
    fits: (template) => template.includes('[gMASK]') && template.includes('<think>'),
  },
);

/**
 * DeepSeek R1 and its distillations always reason: all before `</think>` is reasoning, whether `<think>` is in the
 * prompt, in the response, or missing. Later DeepSeeks reason where `thinking` is set and say so in the prompt.
 */
export const deepseekR1 = marked(
  { markers: [THINK], beginsInReasoning: true },
  {
    ...THINK_FORMAT,
    name: 'deepseek_r1',
    aliases: ['deepseek-r1'],
    fits: (template) =>
      template.includes('<｜Assistant｜>') && template.includes('</think>') && !/\bthinking\b/.test(template),
  },
);

/** Qwen3, QwQ and others with their template: the model or the prompt opens `<think>`; without thinking the prompt closes it. */
export const qwen3 = marked(
  // Qwen3.5 may call a tool without closing its reasoning; it also mentions <tool_call> in it, without a function.
  { markers: [THINK], responseBegins: ['<tool_call>\n<function='] },
  {
    ...THINK_FORMAT,
    name: 'qwen3',
    fits: (template) =>
      template.includes('<|im_start|>') && template.includes('<think>') && template.includes('</think>'),
  },
);

/** `<think>…</think>`, where the model or the prompt opens it: DeepSeek V3.1, Kimi K2, MiniMax M2 and others. */
export const think = marked(
  // Kimi may call a tool without closing its reasoning.
  { markers: [THINK], responseBegins: ['<|tool_calls_section_begin|>'] },
  {
    ...THINK_FORMAT,
    name: 'think',
    aliases: ['deepseek_v3', 'deepseek_v31', 'kimi_k2', 'minimax_m2'],
    fits: (template) => template.includes('<think>') || template.includes('</think>'),
  },
);

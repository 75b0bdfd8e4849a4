import { gptOss } from './gpt-oss.ts';
import { deepseekR1, glm45, granite, mistral, qwen3, think } from './marked-formats.ts';
import type { ReasoningFormat } from './reasoning-parser.ts';

/** Every format. Where a template fits several, the first one is used: those with rarer markers come first. */
export const reasoningFormats: readonly ReasoningFormat[] = [gptOss, mistral, granite, glm45, deepseekR1, qwen3, think];

/** The format of this name or alias. */
export function findReasoningFormat(name: string): ReasoningFormat | undefined {
  return reasoningFormats.find((format) => format.name === name || format.aliases?.includes(name));
}

/** The format that the models of a chat template write; undefined where they do not reason. */
export function fittingReasoningFormat(template: string): ReasoningFormat | undefined {
  return reasoningFormats.find((format) => format.fits(template));
}

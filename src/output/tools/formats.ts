import { deepseekV3, deepseekV31 } from './deepseek.ts';
import { glm45 } from './glm45.ts';
import { gptOss } from './gpt-oss.ts';
import { granite } from './granite.ts';
import { hermes } from './hermes.ts';
import { kimiK2 } from './kimi-k2.ts';
import { llama3Json } from './llama3-json.ts';
import { minimaxM2 } from './minimax-m2.ts';
import { mistral } from './mistral.ts';
import { phi4Mini } from './phi4-mini.ts';
import { llama4Pythonic, pythonic } from './pythonic.ts';
import { qwen3Coder } from './qwen3-coder.ts';
import type { ToolFormat } from './tool-parser.ts';

/** Every format. Where a template fits several, the first one is used: those with rarer markers come first. */
export const toolFormats: readonly ToolFormat[] = [
  gptOss,
  kimiK2,
  minimaxM2,
  deepseekV3,
  deepseekV31,
  glm45,
  qwen3Coder,
  granite,
  mistral,
  phi4Mini,
  hermes,
  llama4Pythonic,
  pythonic,
  llama3Json,
];

/** The format of this name or alias. */
export function findToolFormat(name: string): ToolFormat | undefined {
  return toolFormats.find((format) => format.name === name || format.aliases?.includes(name));
}

/** The format that the models of a chat template write. */
export function fittingToolFormat(template: string): ToolFormat | undefined {
  return toolFormats.find((format) => format.fits(template));
}

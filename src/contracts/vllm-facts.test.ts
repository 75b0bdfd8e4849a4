import { expect, it } from 'vitest';
import { factsIn } from './vllm-facts.ts';

const tooLong = 'is longer than the maximum model length of';

it.each([
  [`Error generating stream: The decoder prompt (length 2101) ${tooLong} 2048. Make sure that …`, { context: 2048 }],
  [
    `The decoder prompt (length 8) plus the number of requested output tokens (at least 1) ${tooLong} 8. Make …`,
    { context: 8 },
  ],
  [`[request id: chatcmpl-1] Error generating stream: The decoder prompt (length 9) ${tooLong} 8`, { context: 8 }],
  [
    "Error generating stream: Model m does not support 'embed' request",
    { makesEmbeddings: false, generatesText: true },
  ],
  [
    "Error generating stream: Model m does not support 'generate' request",
    { generatesText: false, makesEmbeddings: true },
  ],
  ['Error generating stream: /models/smollm2 is not a multimodal model', { mostImages: 0 }],
  ['Error generating stream: At most 0 image(s) may be provided in one prompt.', { mostImages: 0 }],
  ['At most 2 image(s) may be provided in one prompt. Set `--limit-mm-per-prompt` to …', { mostImages: 2 }],
])('learns from %s', (text, facts) => {
  expect(factsIn(text)).toEqual(facts);
});

it.each([
  'something else',
  `LoRA The decoder prompt (length 9) ${tooLong} 8 is not supported, we currently support ['a']`,
  "LoRA Model m does not support 'embed' request is not supported, we currently support ['a']",
  'LoRA is not a multimodal model',
  "LoRA is not a multimodal model is not supported, we currently support ['a']",
  'Grammar error: Unknown format: this is not a multimodal model',
  `Invalid grammar: "The decoder prompt (length 9) ${tooLong} 8."`,
  "unknown word: Model m does not support 'embed' request",
  `Error: At most 0 image(s) may be provided in one prompt.`,
  `The decoder prompt (length 9) ${tooLong} 0.`,
  `The decoder prompt (length 9) ${tooLong} 8x`,
])('learns nothing from %s', (text) => {
  expect(factsIn(text)).toBeUndefined();
});

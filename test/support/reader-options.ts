import type { ReaderOptions } from '../../src/generate/choice-reader.ts';

/** How the only choice of an inference is read, unless a test says otherwise. */
export const plainReader: Omit<ReaderOptions, 'tally'> = {
  choice: 0,
  choices: 1,
  prefix: '',
  maxTokens: undefined,
  context: undefined,
  countsPrompt: true,
  promptLength: undefined,
  reportsPrompt: true,
};

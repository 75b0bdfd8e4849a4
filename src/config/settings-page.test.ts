import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { loadSettings } from './load.ts';
import { modelTable } from './model-settings.ts';
import { settingTable } from './settings.ts';
import { exampleFile, settingsPage } from './settings-page.ts';

describe('settingsPage', () => {
  it('is what docs/settings.md holds; npm run docs writes it', async () => {
    expect(await readFile(new URL('../../docs/settings.md', import.meta.url), 'utf8')).toBe(settingsPage());
  });

  it('shows a file that loads', () => {
    const settings = loadSettings({ argv: ['--config', 'conch.yaml'], readFile: () => exampleFile });
    expect({ ...settings.models }).toEqual({
      qwen3: { tokenizer: 'Qwen/Qwen3-8B', contextLength: 32768, defaults: { temperature: 0.7, top_p: 0.8 } },
      'gpt-4o-mini': { serves: 'llama3', defaults: { max_tokens: 512 } },
    });
  });

  it('describes every setting, also those of one model', () => {
    const page = plain(settingsPage());
    const helps = [...Object.values(settingTable), ...Object.values(modelTable)].map(({ help }) => help);
    expect(helps.filter((help) => !page.includes(plain(help)))).toEqual([]);
  });

  it('has no line of more than 120 columns', () => {
    const long = settingsPage()
      .split('\n')
      .filter((line) => line.length > 120);
    expect(long).toEqual([]);
  });
});

/** A text without its line breaks, code marks and escapes. */
function plain(text: string): string {
  return text.replaceAll(/[`\\]/g, '').replaceAll(/\s+/g, ' ');
}

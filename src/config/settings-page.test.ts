import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { loadSettings } from './load.ts';
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

  it('has a row for every setting', () => {
    const page = settingsPage();
    const missing = Object.entries(settingTable).filter(([, { help }]) => !page.includes(help.replaceAll('|', '\\|')));
    expect(missing.map(([name]) => name)).toEqual([]);
  });
});

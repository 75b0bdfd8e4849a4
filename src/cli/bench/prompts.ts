import { SettingsError } from '../../config/settings-error.ts';

/** A line is a text, or JSON as the files of aiperf and genai-perf have it. */
export function promptsIn(content: string, file: string): string[] {
  const texts = content
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      if (!line.trimStart().startsWith('{')) return line;
      const text = (parsed(line) as { readonly text?: unknown } | undefined)?.text;
      if (typeof text !== 'string' || text === '')
        throw new SettingsError([
          `--prompt-file: prompt ${index + 1} of ${file} has no field "text". Add it, or write plain text.`,
        ]);
      return text;
    });
  if (texts.length === 0) throw new SettingsError([`--prompt-file: ${file} has no prompts. Write one per line.`]);
  return texts;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

import { describe, expect, it } from 'vitest';
import { progressLine, progressReporter } from './progress.ts';

function report(isInteractive: boolean, steps: readonly number[]): string {
  let text = '';
  const show = progressReporter({ isInteractive, width: 70, write: (piece) => (text += piece) });
  for (const done of steps) show({ what: 'model.gguf', done, total: 4e6 });
  return text;
}

describe('progressReporter', () => {
  it('draws over one line on a terminal and leaves the last state', () => {
    const lines = report(true, [1e6, 4e6]).split('\r');
    expect(lines.map((line) => line.trimEnd())).toEqual([
      '',
      'model.gguf  [======                  ]  25 %  1.0 MB of 4.0 MB',
      'model.gguf  [========================] 100 %  4.0 MB of 4.0 MB',
    ]);
    expect(lines.at(-1)?.endsWith('\n')).toBe(true);
  });

  it('leaves a line that is not done where it is when others write, once', () => {
    let text = '';
    const show = progressReporter({ isInteractive: true, width: 50, write: (piece) => (text += piece) });
    show({ what: 'load', done: 1, total: 2, unit: 'percent' });
    show.leave();
    show.leave();
    show({ what: 'load', done: 2, total: 2, unit: 'percent' });
    show.leave();
    expect(text.split('\n').map((line) => line.trim())).toEqual([
      'load  [============            ]  50 %',
      'load  [========================] 100 %',
      '',
    ]);
  });

  it('writes two lines elsewhere, however many steps there were', () => {
    expect(report(false, [0, 1e6, 2e6, 4e6])).toBe('model.gguf …\nmodel.gguf: done\n');
  });

  it('shows what came where the end is not known', () => {
    expect(progressLine({ what: 'list.json', done: 1_500_000, total: undefined })).toBe('list.json  1.5 MB');
  });
});

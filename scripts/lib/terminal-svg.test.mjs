import { describe, expect, it } from 'vitest';
import { foldedLines, terminalSvg } from './terminal-svg.mjs';

describe('foldedLines', () => {
  it('splits a line that is wider than the window, and keeps empty ones', () => {
    expect(foldedLines(`${'x'.repeat(100)}\n\ny\n`)).toEqual(['x'.repeat(96), 'x'.repeat(4), '', 'y']);
  });
});

describe('terminalSvg', () => {
  const picture = Buffer.from('png');
  const scenes = [
    { command: 'conch', output: ['a < b & c'] },
    { command: 'curl', output: [] },
  ];
  const svg = terminalSvg(scenes, { picture, seconds: 4 });

  it('shows every line of every scene, and the picture last', () => {
    const texts = [...svg.matchAll(/<text[^>]*>(.*)<\/text>/g)].map(([, text]) => text);
    expect(texts).toEqual(['$ conch', 'a &lt; b &amp; c', '$ curl']);
    expect(svg).toContain(`href="data:image/png;base64,${picture.toString('base64')}"`);
  });

  it('shows the lines of a scene until it ends, and only then those of the next', () => {
    const frames = [...svg.matchAll(/@keyframes s\d\{(.*?\}.*?\}?.*?\}?)\}(?=@|<)/g)].map(([, frame]) => frame);
    // 0.5 s, then 1 s for a command, 0.12 for a line, 2.5 to read, 4 for the picture: 11.62 in all.
    expect(frames).toEqual([
      '0%,4.22%{opacity:0}4.30%,35.46%{opacity:1}35.54%,100%{opacity:0}',
      '0%,12.82%{opacity:0}12.91%,35.46%{opacity:1}35.54%,100%{opacity:0}',
      '0%,35.37%{opacity:0}35.46%,65.58%{opacity:1}65.66%,100%{opacity:0}',
      '0%,65.49%{opacity:0}65.58%,100.00%{opacity:1}',
    ]);
  });
});

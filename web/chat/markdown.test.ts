import { describe, expect, it } from 'vitest';
import { blocksOf } from './markdown.ts';

describe('blocksOf', () => {
  it('keeps code apart, with its language', () => {
    expect(blocksOf('One *two*.\n\n```python title=x\nprint("<b>")\n```\n\nEnd')).toEqual([
      { kind: 'html', html: '<p>One <em>two</em>.</p>\n' },
      { kind: 'code', text: 'print("<b>")', language: 'python' },
      { kind: 'html', html: '<p>End</p>\n' },
    ]);
  });

  it('shows code that is not closed yet', () => {
    expect(blocksOf('```\na = 1\nb')).toEqual([{ kind: 'code', text: 'a = 1\nb', language: '' }]);
  });

  it('shows HTML as it is written', () => {
    const [block] = blocksOf('<script>alert(1)</script>');
    expect(block).toEqual({ kind: 'html', html: '&lt;script&gt;alert(1)&lt;/script&gt;' });
  });

  it('puts headings below those of the web UI', () => {
    expect(blocksOf('# A *b*')).toEqual([{ kind: 'html', html: '<h3>A <em>b</em></h3>\n' }]);
  });

  it('fetches no pictures', () => {
    expect(blocksOf('![a "cat"](https://example.com/x.png)')).toEqual([
      { kind: 'html', html: '<p><a href="https://example.com/x.png">a &quot;cat&quot;</a></p>\n' },
    ]);
  });

  it('leaves the blocks before the last as they are while a text grows', () => {
    const whole = '# A\n\ntext\n\n- one\n- two\n\n```js\nx\n```\n\nlast words';
    const blocks = blocksOf(whole);
    const earlier = blocksOf(whole.slice(0, -5));
    expect(earlier.slice(0, -1)).toEqual(blocks.slice(0, -1));
  });
});

import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LineEditor } from './line-editor.ts';

// Node draws less on terminals that cannot do much.
beforeEach(() => {
  vi.stubEnv('TERM', 'xterm');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** An editor with its keys, and what it has drawn. */
function open(history: string[] = []) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let drawn = '';
  output.setEncoding('utf8').on('data', (text: string) => (drawn += text));
  const lines: string[] = [];
  const editor = new LineEditor({
    input,
    output,
    prompt: '> ',
    continuation: '… ',
    marksPastes: true,
    hint: '(again)',
    history,
    onLine: (line) => lines.push(line),
    complete: (line) => ['/help', '/quit'].filter((name) => name.startsWith(line)),
  });
  onTestFinished(() => editor.close());
  /** Resolves when the keys have been read. */
  const type = async (keys: string): Promise<void> => {
    input.write(keys);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { editor, type, lines, drawn: () => stripVTControlCharacters(drawn) };
}

const ctrl = { c: '\u0003', d: '\u0004' } as const;

describe('LineEditor', () => {
  it('reads messages of one line and of several', async () => {
    const { editor, type, lines } = open();
    const first = editor.read();
    await type('one\r');
    expect(await first).toBe('one');
    const second = editor.read();
    await type('two\\\r');
    await type('three\r');
    expect(await second).toBe('two\nthree');
    expect(lines).toEqual(['one', 'two\\', 'three']);
  });

  it('keeps what is pasted together until it is ended by hand', async () => {
    const { editor, type } = open();
    const message = editor.read();
    await type('\u001b[200~one\rtwo\r\u001b[201~');
    await type(' and three\r');
    expect(await message).toBe('one\ntwo\n and three');
  });

  it('stores what is typed between two reads, and shows it later', async () => {
    const { editor, type, drawn } = open();
    const first = editor.read();
    await type('one\r');
    await first;
    const before = drawn();
    await type('two\rthr');
    expect(drawn()).toBe(before);
    expect(await editor.read()).toBe('two');
    const third = editor.read();
    await type('ee\r');
    expect(await third).toBe('three');
    expect(drawn().slice(before.length)).toContain('> two\n> three');
  });

  it('brings earlier lines back, and completes', async () => {
    const { editor, type } = open(['newest', 'oldest']);
    const first = editor.read();
    await type('\u001b[A\u001b[A\r');
    expect(await first).toBe('oldest');
    const second = editor.read();
    await type('/q');
    await type('\t');
    await type('\r');
    expect(await second).toBe('/quit');
  });

  it('stops work at Ctrl-C, and goes on', async () => {
    const { editor, type } = open();
    const first = editor.read();
    await type('one\r');
    await first;
    const reason = editor.interruptible(
      (signal) => new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('stopped'))),
    );
    await type(ctrl.c);
    expect(await reason).toBe('stopped');
    const second = editor.read();
    await type('two\r');
    expect(await second).toBe('two');
  });

  it('takes back at Ctrl-C what was typed, says at an empty prompt how to end, and ends at the second', async () => {
    const { editor, type, drawn } = open();
    const message = editor.read();
    await type(`one\\\rtw${ctrl.c}`);
    await type(ctrl.c);
    expect(drawn().split('(again)')).toHaveLength(2);
    await type(`three${ctrl.c}`);
    await type(ctrl.c);
    expect(drawn().split('(again)')).toHaveLength(3);
    await type(ctrl.c);
    expect(await message).toBe(undefined);
    expect(await editor.read()).toBe(undefined);
  });

  it('ends at Ctrl-D, after what was typed before', async () => {
    const { editor, type } = open();
    const first = editor.read();
    await type('one\r');
    await first;
    await type(`two\r${ctrl.d}`);
    expect(await editor.read()).toBe('two');
    expect(await editor.read()).toBe(undefined);
  });
});

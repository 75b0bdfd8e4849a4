import { say } from './steps.mjs';

const WIDTH = 30;

/**
 * Shows how far a step is: a bar on a terminal, one plain line otherwise.
 * @param {string} title
 * @param {number} total
 */
export function progress(title, total) {
  const terminal = process.stderr.isTTY && !process.env['CI'];
  let done = 0;
  if (!terminal) say(`${title} …`);
  const draw = () => {
    if (!terminal) return;
    const filled = Math.round((Math.min(done, total) / total) * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    process.stderr.write(`\r\x1b[2K${bar} ${String(Math.min(done, total)).padStart(3)}/${total} ${title}`);
  };
  draw();
  return {
    step() {
      done += 1;
      draw();
    },
    end() {
      if (terminal) process.stderr.write('\n');
    },
  };
}

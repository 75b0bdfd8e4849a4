/** Starts of fresh processes, measured. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { usageOf } from '../processes.mjs';

const FIRST_INSTRUCTION = fileURLToPath(new URL('../first-instruction.cjs', import.meta.url));
const CHAT_TEMPLATE = fileURLToPath(new URL('../chat-template.jinja', import.meta.url));

/**
 * Milliseconds until a gateway listens and knows its models, by its own log, and the CPU time of that.
 * @param {string} script
 * @param {number} tritonPort
 */
export async function measuredStart(script, tritonPort) {
  const flags = ['--triton', `127.0.0.1:${tritonPort}`, '--host', '127.0.0.1', '--port', '0', '--log-format', 'json'];
  const command = ['--require', FIRST_INSTRUCTION, script, ...flags, '--chat-template', CHAT_TEMPLATE];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  let begin = Number.NaN;
  child.stdio[3]?.once('data', (text) => {
    begin = Number(text);
  });
  try {
    const ready = await new Promise((resolve, reject) => {
      let log = '';
      child.stdout?.setEncoding('utf8').on('data', (text) => {
        log += text;
        const line = log.split('\n').find((each) => each.includes('"state":"READY"'));
        if (line) resolve(Date.parse(JSON.parse(line).time));
      });
      child.once('exit', () => reject(new Error(`the gateway ended before it was ready:\n${log}`)));
    });
    return { wall: ready - begin, cpu: (await usageOf(Number(child.pid))).cpuMicroseconds / 1000 };
  } finally {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

/** The CPU time in milliseconds of a Node that does nothing. */
export async function bareStart() {
  const program = 'const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000));';
  const child = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = await once(child.stdout, 'data');
  await once(child, 'exit');
  return Number(text);
}

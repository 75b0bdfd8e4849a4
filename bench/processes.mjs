/** The processes of a measurement: started fresh, watched, and stopped whatever happens. */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const STOP_MILLISECONDS = 3000;
const START_MILLISECONDS = 20_000;
const POLL_MILLISECONDS = 20;
const TOKEN_SERVER = fileURLToPath(import.meta.resolve('./token-server.mjs'));
const LOAD_CLIENT = fileURLToPath(import.meta.resolve('./load-client.mjs'));
const CHAT_TEMPLATE = fileURLToPath(new URL('chat-template.jinja', import.meta.url));
export const LOGS = mkdtempSync(path.join(tmpdir(), 'conch-bench-'));

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/**
 * A gateway is a script that takes conch's flags --triton, --host, --port and --chat-template, and perhaps more flags, for itself or for Node.
 * @typedef {{ name: string, script: string, flags?: readonly string[], nodeFlags?: readonly string[], environment?: Readonly<Record<string, string>> }} Gateway
 */

/** @type {Set<ChildProcess>} */
const running = new Set();

/**
 * @param {string[]} command
 * @param {import('node:child_process').StdioOptions} stdio
 * @param {NodeJS.ProcessEnv} [environment]
 */
export function start(command, stdio, environment = process.env) {
  const child = spawn(process.execPath, command, { stdio, env: environment });
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

/** @param {ChildProcess} child */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MILLISECONDS);
  await ended;
  clearTimeout(timer);
}

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(LOGS, { recursive: true, force: true });
});
process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143));

/** @param {ChildProcess} child */
async function output(child) {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { text, code };
}

/**
 * The first line that a process prints, as JSON: `any`, since each program prints its own.
 * @param {ChildProcess} child
 * @returns {Promise<any>}
 */
function firstLine(child) {
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').once('data', (line) => resolve(JSON.parse(line)));
    child.once('exit', (code) => reject(new Error(`a process of the benchmark ended with code ${code}`)));
  });
}

/** @returns {Promise<number>} a port that was free a moment ago */
export function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/**
 * What a process and its descendants have used so far, by Conch's own reader of /proc: of the build, so only once there is one.
 * @param {number} pid
 */
export async function usageOf(pid) {
  const { harness } = await import('./harness.mjs');
  const usage = harness.usageOf(pid);
  if (usage === undefined) throw new Error(`process ${pid} has ended`);
  return usage;
}

/** @typedef {{ pid: number, port: number, changeInterval: (milliseconds: number) => void, stop: () => Promise<void> }} TokenServer */

/**
 * @param {number} intervalMilliseconds
 * @param {string} [contract]
 * @param {{ port?: number, maxSeconds?: number, response?: string }} [options] `response`: a file with the tokens of every response
 * @returns {Promise<TokenServer>}
 */
export async function startTokenServer(
  intervalMilliseconds,
  contract = 'vllm',
  { port: requested = 0, maxSeconds, response } = {},
) {
  const command = [TOKEN_SERVER, '--interval-ms', String(intervalMilliseconds), '--contract', contract];
  const more = [
    ...(maxSeconds === undefined ? [] : ['--max-seconds', String(maxSeconds)]),
    ...(response === undefined ? [] : ['--response', response]),
  ];
  const child = start([...command, '--port', String(requested), ...more], ['pipe', 'pipe', 'inherit']);
  const { port } = await firstLine(child);
  return {
    pid: Number(child.pid),
    port: Number(port),
    /** @param {number} milliseconds */
    changeInterval: (milliseconds) => void child.stdin?.write(`${milliseconds}\n`),
    stop: () => stop(child),
  };
}

/**
 * Asks again and again until it is so; an answer that does not come is none.
 * @param {() => Promise<boolean>} isSo
 * @param {ChildProcess} child whose end is a failure
 * @param {number} milliseconds
 * @param {() => string} explain
 */
export async function until(isSo, child, milliseconds, explain) {
  const deadline = performance.now() + milliseconds;
  while (!(await isSo().catch(() => false))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(explain());
    await sleep(POLL_MILLISECONDS);
  }
}

/**
 * @param {string} url
 * @param {string} model
 */
async function isReady(url, model) {
  const ready = await fetch(`${url}/health/ready`);
  if (ready.status !== 200) return false;
  const models = await (await fetch(`${url}/v1/models`)).text();
  return models.includes(`"${model}"`);
}

/**
 * Starts a gateway as `conch` is started, and waits until it serves the model.
 * @param {Gateway} gateway
 * @param {number} tritonPort
 * @param {string} [model]
 */
export async function startGateway(gateway, tritonPort, model = 'bench') {
  const { name, script, flags = [], nodeFlags = [], environment = {} } = gateway;
  const port = await freePort();
  const logFile = path.join(LOGS, `${port}.log`);
  const log = openSync(logFile, 'w');
  const locations = ['--triton', `127.0.0.1:${tritonPort}`, '--host', '127.0.0.1', '--port', String(port)];
  const template = ['--chat-template', CHAT_TEMPLATE];
  const startedAt = performance.now();
  const command = [...nodeFlags, script, ...locations, ...template, ...flags];
  const child = start(command, ['ignore', log, log], { ...process.env, ...environment });
  closeSync(log);
  const url = `http://127.0.0.1:${port}`;
  const explain = () =>
    `${name} does not serve the model '${model}'. The end of its log:\n${readFileSync(logFile, 'utf8').slice(-2000)}`;
  await until(() => isReady(url, model), child, START_MILLISECONDS, explain);
  const readyMilliseconds = performance.now() - startedAt;
  return { pid: Number(child.pid), url, readyMilliseconds, stop: () => stop(child) };
}

/**
 * A program that is not ours, with what it has printed so far.
 * @param {string} program
 * @param {string[]} flags
 * @param {Record<string, string>} environment
 */
export function startProgram(program, flags, environment) {
  const child = spawn(program, flags, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } });
  running.add(child);
  child.on('exit', () => running.delete(child));
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      log += text;
    });
  }
  return { process: child, log: () => log, stop: () => stop(child) };
}

/** The responses of a gateway were not what they should be: a wrong one has no price. */
export class WrongResponses extends Error {}

/**
 * Runs the load client and gives its report, which is `any` as it comes from another process. A fault in any answer is an error.
 * @param {string} url
 * @param {Record<string, string | number | boolean>} options
 * @param {Record<string, number>} watched process numbers by name
 * @returns {Promise<any>}
 */
export async function runLoad(url, options, watched) {
  const flags = Object.entries({ 'check-text': true, ...options }).flatMap(([name, value]) =>
    typeof value === 'boolean' ? (value ? [`--${name}`] : []) : [`--${name}`, String(value)],
  );
  const watches = Object.entries(watched).flatMap(([name, pid]) => ['--watch', `${name}=${pid}`]);
  const command = [LOAD_CLIENT, '--url', url, ...flags, ...watches];
  const { text, code } = await output(start(command, ['ignore', 'pipe', 'inherit']));
  if (text === '') throw new Error(`the load client ended with code ${code}`);
  const report = JSON.parse(text);
  if (code !== 0)
    throw new WrongResponses(`wrong responses from ${url}: ${JSON.stringify(report.errors, undefined, 2)}`);
  return report;
}

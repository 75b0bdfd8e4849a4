/** A fresh Conch and a fresh token server for one point of a curve. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, LOGS, runLoad, start, startTokenServer, stop, until } from '../processes.mjs';
import { warmUp } from '../warm-up.mjs';

const CONCH = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const TEMPLATE = fileURLToPath(new URL('tools-template.jinja', import.meta.url));
const START_MILLISECONDS = 20_000;
/** Answers begin and end evenly from the start, and those that are open at the end are left. */
export const STEADY = { stagger: true, 'drain-seconds': 0 };
/** Load at full speed at the beginning of every process, until it has used so much CPU: most of the compiling is done then. */
const WARM = { streams: 64, tokens: 128, cpuSeconds: 1.5, mostSeconds: 6 };

/**
 * How Conch is started for a point: with which flags and variables, and how it is spoken to then.
 * @typedef {{ contract?: 'vllm' | 'tokens', flags?: string[], environment?: Record<string, string>, apiKey?: string, isSecure?: boolean, workers?: number }} ConchOptions
 * @typedef {Record<string, string | number | boolean>} Load
 * @typedef {{ url: string, pid: number, load: (options: Load) => Promise<Cost>, get: (path: string) => Promise<string> }} RunningConch
 * @typedef {{ microsecondsPerToken: number, microsecondsPerRequest: number, tokensPerSecond: number, requestsPerSecond: number, cpuShare: number, residentMegabytes: number, peakMegabytes: number }} Cost
 */

/**
 * @param {string} url
 * @param {string | undefined} apiKey
 * @returns {Promise<{ status: number, text: string }>}
 */
function get(url, apiKey) {
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? requestHttps : requestHttp;
    const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    request(url, { headers, rejectUnauthorized: false, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    })
      .on('error', reject)
      .end();
  });
}

/** @param {any} report of the load client */
function costOf(report) {
  const { microsecondsPerToken, microsecondsPerRequest, cpuShare, memory } = report.processes.gateway;
  const { tokensPerSecond, requestsPerSecond } = report;
  const rates = { tokensPerSecond, requestsPerSecond, cpuShare };
  const sizes = { residentMegabytes: memory.resident, peakMegabytes: memory.peak };
  return { microsecondsPerToken, microsecondsPerRequest, ...rates, ...sizes };
}

/**
 * @param {string} url
 * @param {string | undefined} apiKey
 */
async function isReady(url, apiKey) {
  return (await get(`${url}/v1/models`, apiKey)).text.includes('"bench"');
}

/**
 * @param {number} tritonPort
 * @param {ConchOptions} options
 */
async function startConch(tritonPort, { flags = [], environment = {}, apiKey, isSecure = false }) {
  const port = await freePort();
  const logFile = path.join(LOGS, `scale-${port}.log`);
  const log = openSync(logFile, 'w');
  const locations = ['--triton', `127.0.0.1:${tritonPort}`, '--host', '127.0.0.1', '--port', String(port)];
  const command = [CONCH, ...locations, '--chat-template', TEMPLATE, '--store', 'none', ...flags];
  const child = start(command, ['ignore', log, log], { ...process.env, ...environment });
  closeSync(log);
  const url = `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`;
  const explain = () => `Conch does not serve the model 'bench':\n${readFileSync(logFile, 'utf8').slice(-2000)}`;
  await until(() => isReady(url, apiKey), child, START_MILLISECONDS, explain);
  return { url, pid: Number(child.pid), stop: () => stop(child) };
}

/**
 * Gives the work a warm Conch in front of a token server of this pace, both of them fresh, and stops them after it.
 * @template Result
 * @param {number} intervalMilliseconds
 * @param {ConchOptions} options
 * @param {(conch: RunningConch) => Promise<Result>} work
 */
export async function withConch(intervalMilliseconds, options, work) {
  const upstream = await startTokenServer(0, options.contract);
  try {
    const { url, pid, stop: stopConch } = await startConch(upstream.port, options);
    try {
      const { apiKey } = options;
      const key = apiKey === undefined ? {} : { 'api-key': apiKey };
      /** @param {Load} load */
      const load = async (load) => costOf(await runLoad(url, { ...key, ...load }, { gateway: pid }));
      const cpuSeconds = WARM.cpuSeconds * (options.workers ?? 1);
      await warmUp([{ url, watched: { gateway: pid } }], { ...WARM, cpuSeconds, flags: key });
      upstream.changeInterval(intervalMilliseconds);
      return await work({ url, pid, load, get: async (location) => (await get(url + location, apiKey)).text });
    } finally {
      await stopConch();
    }
  } finally {
    await upstream.stop();
  }
}

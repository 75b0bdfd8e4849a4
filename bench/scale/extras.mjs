/** What TLS, keys, tracing and metrics add, each measured in turn with a Conch that has none of them. */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { LOGS } from '../processes.mjs';
import { figure, RESIDENT } from './chapter.mjs';
import { STEADY, withConch } from './conch.mjs';
import { display, NOISE, signedPercent } from './growth.mjs';
import { inTurn, mediansOf } from './rounds.mjs';

/** @import { Chapter, Row } from './chapter.mjs' */
/** @import { ConchOptions, RunningConch } from './conch.mjs' */

const ROUNDS = 3;
const STREAMS = 256;
const ASKERS = 32;
const SCRAPE_MILLISECONDS = 1000;

/** @typedef {{ label: string, options: ConchOptions, isScraped?: boolean }} Variant */

/** A collector that takes every trace and keeps none. */
async function startCollector() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close().closeAllConnections() };
}

/**
 * @param {string} collector
 * @returns {Variant[]}
 */
function variants(collector) {
  const folder = mkdtempSync(path.join(LOGS, 'extras-'));
  const [tlsKey, tlsCertificate] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=localhost', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...subject, '-days', '2', '-keyout', tlsKey, '-out', tlsCertificate], {
    stdio: 'ignore',
  });
  const apiKey = randomBytes(24).toString('hex');
  const hash = `sha256:${createHash('sha256').update(apiKey).digest('hex')}`;
  const keyFile = path.join(folder, 'keys.json');
  const limits = { requests_per_minute: 1e9, tokens_per_minute: 1e12, concurrent: 1e6 };
  writeFileSync(keyFile, JSON.stringify({ keys: [{ name: 'bench', hash, models: ['ben*'], ...limits }] }));
  const tls = ['--tls-cert', tlsCertificate, '--tls-key', tlsKey];
  const keys = ['--api-key-file', keyFile];
  const tracing = ['--otlp-endpoint', collector];
  return [
    { label: 'plain', options: {} },
    { label: 'TLS', options: { flags: tls, isSecure: true } },
    { label: 'keys', options: { flags: keys, apiKey } },
    { label: 'tracing', options: { flags: tracing } },
    { label: 'metrics', options: {}, isScraped: true },
    { label: 'all four', options: { flags: [...tls, ...keys, ...tracing], apiKey, isSecure: true }, isScraped: true },
  ];
}

/** @param {RunningConch} conch */
async function costs(conch) {
  const paced = { streams: STREAMS, ...STEADY };
  const stream = await conch.load({ ...paced, 'warmup-seconds': 1, seconds: 2.5 });
  const request = await conch.load({ streams: ASKERS, tokens: 1, 'warmup-seconds': 2, seconds: 2.5 });
  const { microsecondsPerToken, residentMegabytes } = stream;
  const { microsecondsPerRequest, requestsPerSecond } = request;
  return { microsecondsPerToken, microsecondsPerRequest, requestsPerSecond, residentMegabytes };
}

/** @param {Variant} variant */
function measureVariant({ options, isScraped = false }) {
  return withConch(10, options, async (conch) => {
    const scraper = isScraped ? setInterval(() => void conch.get('/metrics'), SCRAPE_MILLISECONDS) : undefined;
    try {
      return await costs(conch);
    } finally {
      clearInterval(scraper);
    }
  });
}

/** @param {Row} row */
function addedWords(row) {
  const added = ['microsecondsPerToken', 'microsecondsPerRequest'].map((name) => figure(row, `${name}Ratio`));
  const isNoise = added.every((ratio) => ratio <= NOISE && ratio >= 1 / NOISE);
  const [token, request] = added.map(signedPercent);
  return `${row.label} ${token} per token and ${request} per request${isNoise ? ' (within the noise)' : ''}`;
}

/** @type {Chapter} */
export const extras = {
  name: 'extras',
  title: 'TLS, keys, tracing and metrics',
  first: 'with',
  columns: [
    { heading: 'µs/token', of: ({ microsecondsPerToken }) => microsecondsPerToken },
    { heading: 'against plain', of: ({ microsecondsPerTokenRatio: ratio }) => ratio, unit: ' ×' },
    { heading: 'µs/request', of: ({ microsecondsPerRequest }) => microsecondsPerRequest },
    { heading: 'against plain', of: ({ microsecondsPerRequestRatio: ratio }) => ratio, unit: ' ×' },
    RESIDENT,
  ],
  async measure(say) {
    const collector = await startCollector();
    try {
      const all = variants(collector.url);
      const rounds = await inTurn(ROUNDS, all, async (variant) => {
        const figures = await measureVariant(variant);
        say(
          `${variant.label}: ${display(figures.microsecondsPerToken)} µs/token, ${display(figures.microsecondsPerRequest)} µs/request`,
        );
        return figures;
      });
      const labels = all.map(({ label }) => label);
      return mediansOf(labels, rounds, ['microsecondsPerToken', 'microsecondsPerRequest']);
    } finally {
      collector.stop();
    }
  },
  load: () => `${STREAMS} streams, 10 ms between tokens; ${ASKERS} requests at a time; medians of ${ROUNDS} rounds.`,
  sentences: (rows) => [`Against plain, CPU is: ${rows.slice(1).map(addedWords).join('; ')}.`],
  charts: (rows) => ({
    'scale-extras': {
      title: `CPU against plain: ${rows.map(({ label }, at) => `${at + 1} ${label}`).join(', ')}`,
      x: { label: 'with', scale: 'linear' },
      y: { label: 'times plain', scale: 'linear' },
      kind: 'bars',
      series: [
        { name: 'per token', points: rows.map((row, at) => [at + 1, figure(row, 'microsecondsPerTokenRatio')]) },
        { name: 'per request', points: rows.map((row, at) => [at + 1, figure(row, 'microsecondsPerRequestRatio')]) },
      ],
    },
  }),
};

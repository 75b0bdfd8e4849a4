import { z } from 'zod';
import { type SettingTable, setting } from './setting.ts';
import { dnsServer, duration } from './value-types.ts';

const shared = { group: 'servers', live: true } as const;
const lasting = { ...shared, placeholder: 'DURATION' } as const;

/** Settings of which server takes a request, and what becomes of servers that fail. */
export const balanceSettings = {
  balance: setting(
    z.enum(['least-load', 'round-robin', 'random-of-two', 'prefix']).default('least-load'),
    'How a server is chosen among those that have a model: the least busy one, each in turn, the less busy of two by chance, or the one that has seen the beginning of the prompt.',
    { ...shared, placeholder: 'POLICY' },
  ),
  prefixOverload: setting(
    z.number().min(1).default(2),
    'With --balance prefix: how many times the load of the least busy server the one with the warm cache may have.',
    shared,
  ),
  firstTokenTimeout: setting(
    duration({ minimum: 0 }).prefault('5m'),
    'How long a server may take until the first response of a streamed answer; 0 for as long as the request may take.',
    lasting,
  ),
  idleTimeout: setting(
    duration({ minimum: 0 }).prefault('2m'),
    'How long a server may pause between two responses of an answer; 0 for as long as the request may take.',
    lasting,
  ),
  retries: setting(
    z.number().int().min(0).max(100).default(2),
    'How often a request that failed on a server before its first response is begun again.',
    shared,
  ),
  retryBudget: setting(
    z.number().min(0).max(100).default(20),
    'Such retries per hundred requests; a hundred in ten seconds are always allowed. 0 for none.',
    { ...shared, placeholder: 'PERCENT' },
  ),
  breakerFailures: setting(
    z.number().int().min(0).default(5),
    'Failures of a model in a row on a server after which requests go to other servers for a while; 0 for never.',
    shared,
  ),
  breakerBackoff: setting(
    duration({ minimum: 10 }).prefault('1s'),
    'How long that while is at first. Then one request tries; each failed try doubles it, up to 30 times.',
    lasting,
  ),
  ejectionTime: setting(
    duration({ minimum: 0 }).prefault('10s'),
    'How long a server is left out that fails far more often than the others; 0 for never.',
    lasting,
  ),
  slowStart: setting(
    duration({ minimum: 0 }).prefault('10s'),
    'How long a server that came or came back takes less than its share; 0 for none.',
    lasting,
  ),
  dnsInterval: setting(
    duration({ minimum: 100 }).prefault('10s'),
    'How often the names of --triton dns:NAME:PORT are resolved again.',
    lasting,
  ),
  dnsServer: setting(dnsServer.optional(), 'DNS server that resolves them.', {
    group: 'servers',
    placeholder: 'IP[:PORT]',
    defaultText: "the system's",
  }),
} satisfies SettingTable;

/** Settings of engines that fail while their server calls the model ready. */
export const engineSettings = {
  engineCheckInterval: setting(
    duration({ minimum: 0 }).prefault('30s'),
    'How often to probe the engine of a vLLM or LLM API model with a one-token request. An engine that keeps requests waiting is probed sooner. 0 turns all probes off.',
    { group: 'servers', live: true, placeholder: 'DURATION' },
  ),
  engineRecovery: setting(
    z.enum(['auto', 'off']).default('auto'),
    'What to do about a failed engine. auto: reload its model if Triton runs in explicit mode, else restart tritonserver if Conch started it, else warn. off: only report it.',
    { group: 'servers', live: true },
  ),
} satisfies SettingTable;

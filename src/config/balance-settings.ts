import { z } from 'zod';
import { inGroup, setting } from './setting.ts';
import { dnsServer, duration } from './value-types.ts';

const live = { live: true } as const;

/** Settings of which server takes a request, and what becomes of servers that fail. */
export const balanceSettings = inGroup('servers', {
  balance: setting(
    z.enum(['least-load', 'round-robin', 'random-of-two', 'prefix']).default('least-load'),
    'How a server is chosen among those that have a model: the least busy one, each in turn, the less busy of two by chance, or the one that has seen the beginning of the prompt.',
    { live: true, placeholder: 'POLICY' },
  ),
  prefixOverload: setting(
    z.number().min(1).default(2),
    'With --balance prefix: how many times the load of the least busy server the one with the warm cache may have.',
    live,
  ),
  firstTokenTimeout: setting(
    duration({ minimum: 0 }).prefault('5m'),
    'How long a server may take until the first response of a streamed answer; 0 for as long as the request may take.',
    live,
  ),
  idleTimeout: setting(
    duration({ minimum: 0 }).prefault('2m'),
    'How long a server may pause between two responses of an answer; 0 for as long as the request may take.',
    live,
  ),
  retries: setting(
    z.number().int().min(0).max(100).default(2),
    'How often a request that failed on a server before its first response is begun again.',
    live,
  ),
  retryBudget: setting(
    z.number().min(0).max(100).default(20),
    'Such retries per hundred requests; a hundred in ten seconds are always allowed. 0 for none.',
    { live: true, placeholder: 'PERCENT' },
  ),
  breakerFailures: setting(
    z.number().int().min(0).default(5),
    'Failures of a model in a row on a server after which requests go to other servers for a while; 0 for never.',
    live,
  ),
  breakerBackoff: setting(
    duration({ minimum: 10 }).prefault('1s'),
    'How long that while is at first. Then one request tries; each failed try doubles it, up to 30 times.',
    live,
  ),
  ejectionTime: setting(
    duration({ minimum: 0 }).prefault('10s'),
    'How long a server is left out that fails far more often than the others; 0 for never.',
    live,
  ),
  slowStart: setting(
    duration({ minimum: 0 }).prefault('10s'),
    'How long a server that came or came back takes less than its share; 0 for none.',
    live,
  ),
  dnsInterval: setting(
    duration({ minimum: 100 }).prefault('10s'),
    'How often the names of --triton dns:NAME:PORT are resolved again.',
    live,
  ),
  dnsServer: setting(dnsServer.optional(), 'DNS server that resolves them.', {
    placeholder: 'IP[:PORT]',
    defaultText: "the system's",
  }),
});

/** Settings of engines that fail while their server calls the model ready. */
export const engineSettings = inGroup('servers', {
  engineCheckInterval: setting(
    duration({ minimum: 0 }).prefault('30s'),
    'How often to probe the engine of a vLLM or LLM API model with a one-token request. An engine that keeps requests waiting is probed sooner. 0 turns all probes off.',
    { live: true },
  ),
  engineRecovery: setting(
    z.enum(['auto', 'off']).default('auto'),
    'What to do about a failed engine. auto: reload its model if Triton runs in explicit mode, else restart tritonserver if Conch started it, else warn. off: only report it.',
    { live: true },
  ),
});

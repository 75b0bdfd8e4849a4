import { z } from 'zod';
import { inGroup, setting } from './setting.ts';
import { dnsServer, duration } from './value-types.ts';

const live = { live: true } as const;

/** Settings of which server takes a request, and what becomes of servers that fail. */
export const balanceSettings = inGroup('servers', {
  balance: setting(
    z.enum(['least-load', 'round-robin', 'random-of-two', 'prefix']).default('least-load'),
    'Set how Conch selects among the servers that have a model. least-load takes the least busy server, round-robin each in turn, random-of-two the less busy of two random servers. prefix takes the server that has seen the beginning of the prompt.',
    { live: true, placeholder: 'POLICY' },
  ),
  prefixOverload: setting(
    z.number().min(1).default(2),
    'Limit the load of the server with the warm cache to this many times the load of the least busy server. Applies to --balance prefix.',
    live,
  ),
  firstTokenTimeout: setting(
    duration({ minimum: 0 }).prefault('5m'),
    'Limit the time until a server sends the first part of a streamed response. 0 means that only --request-timeout applies.',
    live,
  ),
  idleTimeout: setting(
    duration({ minimum: 0 }).prefault('2m'),
    'Limit the pause of a server between two parts of a response. 0 means that only --request-timeout applies.',
    live,
  ),
  retries: setting(
    z.number().int().min(0).max(100).default(2),
    'Set how often Conch retries a request that failed before the server sent the first part of the response.',
    live,
  ),
  retryBudget: setting(
    z.number().min(0).max(100).default(20),
    'Limit the retries of --retries to this percentage of requests. A hundred in ten seconds are always allowed. 0 turns retries off.',
    { live: true, placeholder: 'PERCENT' },
  ),
  breakerFailures: setting(
    z.number().int().min(0).default(5),
    'Send the requests for a model to other servers for a while after this many failures in a row on a server. 0 turns this off.',
    live,
  ),
  breakerBackoff: setting(
    duration({ minimum: 10 }).prefault('1s'),
    'Set how long --breaker-failures sends requests to other servers at first. Then one request tries the server. Each failed try doubles the time, up to 30 times this value.',
    live,
  ),
  ejectionTime: setting(
    duration({ minimum: 0 }).prefault('10s'),
    'Set how long Conch ejects a server that fails far more often than the others. 0 turns ejection off.',
    live,
  ),
  slowStart: setting(
    duration({ minimum: 0 }).prefault('10s'),
    'Set how long a new or recovered server gets less than its share of requests. 0 turns slow start off.',
    live,
  ),
  dnsInterval: setting(
    duration({ minimum: 100 }).prefault('10s'),
    'Set how often Conch resolves the names of --triton dns:NAME:PORT again.',
    live,
  ),
  dnsServer: setting(dnsServer.optional(), 'Resolve the names of --triton dns:NAME:PORT with this DNS server.', {
    placeholder: 'IP[:PORT]',
    defaultText: "the system's",
  }),
});

/** Settings of engines that fail while their server calls the model ready. */
export const engineSettings = inGroup('servers', {
  engineCheckInterval: setting(
    duration({ minimum: 0 }).prefault('30s'),
    'Set how often Conch probes the engine of a vLLM or LLM API model with a one-token request. An engine that keeps requests waiting is probed sooner. 0 turns all probes off.',
    { live: true },
  ),
  engineRecovery: setting(
    z.enum(['auto', 'off']).default('auto'),
    'Set what Conch does about a failed engine. auto reloads its model if Triton runs in explicit mode. Otherwise it restarts tritonserver if Conch started it, else it warns. off only reports the failure.',
    { live: true },
  ),
});

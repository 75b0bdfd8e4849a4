import type { Settings } from './settings.ts';

const tritonsShortestKeepalive = 300_000;

/** Warnings for the start: settings that are valid, but may be a mistake. */
export function startWarnings(
  settings: Pick<
    Settings,
    | 'host'
    | 'apiKey'
    | 'apiKeyFile'
    | 'jwtJwks'
    | 'jwtAudience'
    | 'openaiRestrictedApi'
    | 'keepaliveInterval'
    | 'logPrompts'
  >,
): readonly string[] {
  const warnings: string[] = [];
  const isRestricted = settings.openaiRestrictedApi.some(({ apis }) => apis.includes('inference'));
  if (!wantsKey(settings) && !isRestricted && !isLoopback(settings.host)) {
    warnings.push(
      `Listening on ${settings.host} without an API key: anyone who can reach this machine can use the models. Set --api-key, or --host 127.0.0.1.`,
    );
  }
  if (settings.jwtJwks !== undefined && settings.jwtAudience.length === 0) {
    warnings.push(
      'jwt_audience is not set: Conch also accepts tokens that the issuer made for other services. Set --jwt-audience.',
    );
  }
  if (settings.keepaliveInterval > 0 && settings.keepaliveInterval < tritonsShortestKeepalive) {
    warnings.push(
      `keepalive_interval is ${settings.keepaliveInterval / 1000}s: by default, Triton closes connections that ping more often than every 300s. Set --keepalive-interval 300s or more.`,
    );
  }
  if (settings.logPrompts)
    warnings.push(
      'log_prompts is on: the log contains what clients send, including prompts. Turn it off with --no-log-prompts.',
    );
  return warnings;
}

/** Whether requests need a key. */
export function wantsKey(settings: Pick<Settings, 'apiKey' | 'apiKeyFile' | 'jwtJwks'>): boolean {
  return settings.apiKey.length > 0 || settings.apiKeyFile !== undefined || settings.jwtJwks !== undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(host);
}

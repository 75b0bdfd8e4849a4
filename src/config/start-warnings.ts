import type { Settings } from './settings.ts';

const tritonsShortestKeepalive = 300_000;

/** What the start should warn of: settings that are valid and may still be a mistake. */
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
      `Listening on ${settings.host} without a key: whoever reaches this machine may use the models. Set --api-key, or --host 127.0.0.1.`,
    );
  }
  if (settings.jwtJwks !== undefined && settings.jwtAudience.length === 0) {
    warnings.push(
      'jwt_audience is not set: a token that the issuer made for another service opens this one too. Set --jwt-audience.',
    );
  }
  if (settings.keepaliveInterval > 0 && settings.keepaliveInterval < tritonsShortestKeepalive) {
    warnings.push(
      `keepalive_interval is ${settings.keepaliveInterval / 1000}s: Triton's default is to close connections that ping more often than every 300s.`,
    );
  }
  if (settings.logPrompts) warnings.push('log_prompts is on: the log holds what clients send, word for word.');
  return warnings;
}

/** Whether requests need a key. */
export function wantsKey(settings: Pick<Settings, 'apiKey' | 'apiKeyFile' | 'jwtJwks'>): boolean {
  return settings.apiKey.length > 0 || settings.apiKeyFile !== undefined || settings.jwtJwks !== undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(host);
}

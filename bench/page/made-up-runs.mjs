/** Made-up runs for the tests of tables and pages. */

export const machine = {
  started: '2026-01-02T03:04:05.000Z',
  node: 'v20.0.0',
  cores: 2,
  model: 'a processor',
  loadBefore: 0.5,
};
export const settings = { tokens: 128, intervalMilliseconds: 10, rounds: 2, windows: 1, seconds: 2.5 };

/**
 * Two rounds of gateways with the same figures in both.
 * @param {Record<string, { token?: number, request?: number, megabytes: number, rate?: number }>} gateways
 */
export function runsOf(gateways) {
  return Object.entries(gateways).flatMap(([gateway, { token, request, megabytes, rate = 25_600 }]) =>
    [1, 2].flatMap((round) => {
      const run = (/** @type {string} */ scenario, /** @type {Record<string, number>} */ result) => ({
        round,
        window: 0,
        gateway,
        scenario,
        result,
      });
      return [
        run('start', { idleMegabytes: megabytes }),
        ...(token === undefined ? [] : [run('paced256', { microsecondsPerToken: token, tokensPerSecond: rate })]),
        ...(request === undefined ? [] : [run('unstreamed', { microsecondsPerRequest: request })]),
      ];
    }),
  );
}

import type { GroupOptions } from '../../src/kserve/server-group.ts';
import type { Balancer } from '../../src/servers/balanced/balancer.ts';
import { PulledResponses } from './pulled-responses.ts';
import { ScriptedServer, type Step } from './scripted-server.ts';

/** The names of the servers that responded, or the error. */
export async function ask(balancer: Balancer, servers: readonly ScriptedServer[], options: GroupOptions = {}) {
  const names: string[] = [];
  try {
    for await (const batch of responsesOf(balancer, servers, options))
      for (const { version } of batch) names.push(version);
    return names.join();
  } catch (error) {
    return [...names, (error as Error).message].join();
  }
}

export function responsesOf(balancer: Balancer, servers: readonly ScriptedServer[], options: GroupOptions = {}) {
  const group = balancer.groupOf(
    'm',
    servers.map(({ server }) => server),
  );
  return new PulledResponses((sink) =>
    group.stream((server, _, into) => server.stream({} as never, into), sink, options),
  );
}

export const pair = (one: readonly Step[], two: readonly Step[]): [ScriptedServer, ScriptedServer] => [
  new ScriptedServer('one', ...one),
  new ScriptedServer('two', ...two),
];
export const start = (servers: readonly ScriptedServer[]) => servers.map(({ streams }) => streams.length);
export const responding: readonly Step[] = ['answer', 'end'];

import { type Conch, startConch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { post } from '../support/gateway.ts';
import { startTriton, type Triton } from '../support/triton.ts';

/** Two tritonservers with toy models; `loadModels` is what each has. */
export function startTritons(...loadModels: readonly (readonly string[])[]): Promise<Triton[]> {
  return Promise.all(
    loadModels.map((models) =>
      startTriton({ repository: 'test/models', modelControl: 'explicit', loadModels: models }),
    ),
  );
}

/** A Conch in front of some servers, without a slow start, which would depend on the time that a test takes. */
export function startOver(tritons: readonly Triton[], ...flags: readonly string[]): Promise<Conch> {
  return startConch({
    flags: [
      ...tritons.flatMap(({ grpcPort }) => ['--triton', `127.0.0.1:${grpcPort}`]),
      `--chat-template=${inRoot('test/gateway/plain.jinja')}`,
      '--refresh-interval=200ms',
      '--slow-start=0',
      ...flags,
    ],
  });
}

/** What is told of a server. */
export interface ServerRow {
  readonly id: string;
  readonly state: string;
  readonly ready: boolean;
  readonly running: number;
  readonly requests: number;
  readonly failures: number;
  readonly retried: number;
  readonly last_error: Record<string, unknown> | null;
  readonly models: readonly { name: string; state: string; breaker: string }[];
}

/** The rows of /v1/servers, in the order of the servers. */
export async function serversOf({ url }: Conch): Promise<ServerRow[]> {
  const response = await fetch(`${url}/v1/servers`);
  return ((await response.json()) as { data: ServerRow[] }).data;
}

/** Resolves with the rows once they are as wanted; the test's own time limit ends the wait. */
export async function untilServers(conch: Conch, isExpected: (rows: ServerRow[]) => boolean): Promise<ServerRow[]> {
  for (;;) {
    const rows = await serversOf(conch);
    if (isExpected(rows)) return rows;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Asks for an answer of one text. */
export function complete({ url }: Conch, orders: Record<string, unknown>, body: object = {}) {
  return post(`${url}/v1/completions`, { model: 'vllm-toy', prompt: directive(orders), ...body });
}

/** Gives orders to the toy model of one server, past Conch; gives all that it answered. */
export async function tellToy({ httpPort }: Triton, orders: Record<string, unknown>): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${httpPort}/v2/models/vllm-toy/generate_stream`, {
    method: 'POST',
    body: JSON.stringify({ text_input: directive(orders), stream: false }),
  });
  return response.text();
}

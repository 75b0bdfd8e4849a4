import { python } from '../support/python.ts';
import type { Triton } from '../support/triton.ts';

interface TensorValues {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly data: readonly (string | number | boolean)[];
}

interface ClientModel {
  readonly name: string;
  readonly inputs: readonly TensorValues[];
  readonly outputs?: readonly string[];
  readonly faulty?: readonly TensorValues[];
  readonly generate?: Readonly<Record<string, unknown>>;
}

/** The models that a server offers, by what test/kserve/clients.py does with them. */
export type ClientModels = Partial<Record<'plain' | 'decoupled' | 'loadable' | 'broken', ClientModel>>;

/** What each client was answered, by case. */
export type ClientResponses = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Ports {
  readonly grpcPort: number;
  readonly httpPort: number;
}

/** Runs NVIDIA's clients against the two ports of a server, behind which a tritonserver may stand. */
export async function askClients(ports: Ports, models: ClientModels, triton?: Triton): Promise<ClientResponses> {
  return ask(ports, { models, mixesKinds: true }, triton);
}

/**
 * Runs NVIDIA's clients against a tritonserver itself. Version 2.51 aborted in one of about twenty streams that carry requests
 * of a decoupled model and of another: two threads write to the stream at once. So each of these gets a stream of its own.
 */
export async function askTriton(triton: Triton, models: ClientModels): Promise<ClientResponses> {
  return ask(triton, { models, mixesKinds: false }, triton);
}

async function ask(
  { grpcPort, httpPort }: Ports,
  task: { readonly models: ClientModels; readonly mixesKinds: boolean },
  triton: Triton | undefined,
): Promise<ClientResponses> {
  const input = JSON.stringify({ ...task, grpc: `127.0.0.1:${grpcPort}`, http: `127.0.0.1:${httpPort}` });
  const { stdout, stderr, exitCode } = await python('test/kserve/clients.py', [], { input });
  const ended = triton?.ended();
  if (ended !== undefined)
    throw new Error(`tritonserver ended with ${ended}:\n${triton?.log().slice(-4000)}\n${stderr}`);
  if (exitCode !== 0) throw new Error(stderr);
  const responses: ClientResponses = JSON.parse(stdout);
  return responses;
}

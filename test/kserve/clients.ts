import { python } from '../support/python.ts';

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
  /** Whether wrong inputs are tried on streams. */
  readonly faults?: boolean;
}

/** The models that a server offers, by what test/kserve/clients.py does with them. */
export type ClientModels = Partial<Record<'plain' | 'decoupled' | 'loadable' | 'broken', ClientModel>>;

/** What each client was answered, by case. */
export type ClientAnswers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Runs NVIDIA's clients against the two ports of a server. */
export async function askClients(
  ports: { readonly grpcPort: number; readonly httpPort: number },
  models: ClientModels,
): Promise<ClientAnswers> {
  const input = JSON.stringify({ grpc: `127.0.0.1:${ports.grpcPort}`, http: `127.0.0.1:${ports.httpPort}`, models });
  const { stdout, stderr, exitCode } = await python('test/kserve/clients.py', [], { input });
  if (exitCode !== 0) throw new Error(stderr);
  const answers: ClientAnswers = JSON.parse(stdout);
  return answers;
}

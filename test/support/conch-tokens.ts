import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from './environment.ts';
import { pythonJson } from './python.ts';

export type Tensors = Readonly<Record<string, readonly unknown[]>>;

/** What came back for one request. */
export interface TokensResult {
  readonly responses: readonly Tensors[];
  readonly error?: string;
  /** The gRPC status of a stream that failed. */
  readonly status?: string;
}

/** A request of the contract conch-tokens: inputs with their datatypes. */
export interface TokensRequest {
  readonly inputs: Readonly<Record<string, readonly [string, readonly unknown[]]>>;
  readonly outputs?: readonly string[];
  /** The client cancels after this number of responses. */
  readonly cancel_after?: number;
  /** The client sends the request when the first one has this number of responses. */
  readonly after?: number;
}

/** Writes the folder of a model of python/conch_vllm, and returns the folder of its version. */
export function writeTokensModel(
  repository: string,
  name: string,
  engine: object,
  { parameters = '', entry = 'python/model.py' }: { readonly parameters?: string; readonly entry?: string } = {},
): string {
  const version = join(repository, name, '1');
  mkdirSync(version, { recursive: true });
  cpSync(inRoot(entry), join(version, 'model.py'));
  cpSync(inRoot('python/conch_vllm'), join(version, 'conch_vllm'), { recursive: true });
  writeFileSync(join(version, 'model.json'), JSON.stringify(engine));
  const config = `backend: "python"\ninstance_group [{ count: 1, kind: KIND_MODEL }]\n${parameters}`;
  writeFileSync(join(repository, name, 'config.pbtxt'), config);
  return version;
}

/** Sends requests at the same time. */
export async function sendTokens(
  { grpcPort, model }: { readonly grpcPort: number; readonly model: string },
  requests: readonly TokensRequest[],
): Promise<readonly TokensResult[]> {
  const input = JSON.stringify({ port: grpcPort, model, requests });
  return (await pythonJson('test/conch-tokens/grpc_client.py', [], { input })) as readonly TokensResult[];
}

/** The values of an output in all responses, joined. */
export function joined(responses: readonly Tensors[], name: string): readonly unknown[] {
  return responses.flatMap((tensors) => tensors[name] ?? []);
}

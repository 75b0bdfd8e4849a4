import { python } from './python.ts';

export interface ExchangeRequest {
  readonly model: string;
  readonly id?: string;
  readonly inputs?: Readonly<Record<string, string | boolean | readonly string[] | readonly number[]>>;
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /** Cancels the RPC after so many messages. */
  readonly cancel_after?: number;
  /** A deadline for the RPC, in seconds. */
  readonly timeout?: number;
}

export interface ExchangeMessage {
  readonly error: string | null;
  readonly id: string;
  readonly model: string;
  readonly version: string;
  /** The parameter `triton_final_response`; null where it is missing. */
  readonly final: boolean | null;
  readonly outputs: Readonly<Record<string, { datatype: string; shape: number[]; values: (string | number)[] }>>;
}

export interface Exchange {
  readonly status: string;
  readonly messages: readonly ExchangeMessage[];
}

/** What a tritonserver answers NVIDIA's own client on the gRPC stream: one RPC per request, or one for all. */
export async function exchange(
  port: number,
  requests: readonly ExchangeRequest[],
  { oneStream = false } = {},
): Promise<Exchange[]> {
  const input = JSON.stringify({ port, requests, one_stream: oneStream });
  const { stdout, stderr, exitCode } = await python('test/support/exchange.py', [], { input });
  if (exitCode !== 0) throw new Error(stderr);
  const responses: Exchange[] = JSON.parse(stdout);
  return responses;
}

/** Writes a directive that steers the toy models; test/support/toy_vllm/directive.py lists them. */
export function directive(orders: Readonly<Record<string, unknown>>): string {
  return `<<${JSON.stringify(orders)}>>`;
}

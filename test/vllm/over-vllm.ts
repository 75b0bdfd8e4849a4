import { type Conch, startConch } from '../support/conch.ts';
import { vllmModelFolder } from '../support/environment.ts';
import { post, type Response } from '../support/gateway.ts';
import { type RealVllm, realModel } from '../support/real-vllm.ts';

/** Two engines start on busy cores, and a model is loaded again. */
export const patience = 1_800_000;

/** A flag for tests that count inferences: each probe of an engine is one. */
export const noProbes = '--engine-check-interval=0';

/** A Conch in front of real engines. */
export function startOverVllm(servers: readonly RealVllm[], ...flags: readonly string[]): Promise<Conch> {
  return startConch({
    flags: [
      ...servers.flatMap(({ grpcPort }) => ['--triton', `127.0.0.1:${grpcPort}`]),
      `--tokenizer=${vllmModelFolder()}`,
      '--refresh-interval=200ms',
      '--slow-start=0',
      ...flags,
    ],
    readyMilliseconds: 60_000,
  });
}

const messages = [{ role: 'user', content: 'Say something short.' }];

/** A chat of one message with the real model. */
export function chat({ url }: Conch, fields: object = {}): Promise<Response> {
  const body = { model: realModel, messages, max_tokens: 40, temperature: 0, ...fields };
  return post(`${url}/v1/chat/completions`, body);
}

/** The text of the first choice of a chat. */
export function contentOf({ status, text, body }: Response): string {
  if (status !== 200) throw new Error(`${status} ${text}`);
  const [choice] = body['choices'] as { message: { content: string } }[];
  return choice?.message.content ?? '';
}

/** The status and body of /health/ready. */
export async function readiness({ url }: Conch): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/health/ready`);
  return { status: response.status, body: await response.json() };
}

/** Resolves when /health/ready has this status; the time limit of the test ends the wait. */
export async function untilReadiness(conch: Conch, status: number): Promise<void> {
  while ((await readiness(conch)).status !== status) await new Promise((resolve) => setTimeout(resolve, 100));
}

/** The names that /v1/models lists. */
export async function listedModels({ url }: Conch): Promise<string[]> {
  const response = await fetch(`${url}/v1/models`);
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

/** The inferences that all servers have counted together. */
export async function inferencesOf(servers: readonly RealVllm[]): Promise<number> {
  const counts = await Promise.all(servers.map(({ inferences }) => inferences()));
  return counts.reduce((sum, count) => sum + count, 0);
}

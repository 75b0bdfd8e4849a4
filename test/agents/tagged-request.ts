import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post } from '../support/gateway.ts';
import { key } from './gateway.ts';

/** What the scripted model does with the last request that has this tag. */
export async function stateOf(conch: Conch, tag: string): Promise<string> {
  const messages = [{ role: 'user', content: directive({ count_of: tag }) }];
  const authorization = { authorization: `Bearer ${key}` };
  const { body } = await post(`${conch.url}/v1/chat/completions`, { model: 'agent', messages }, authorization);
  const { choices } = body as unknown as { choices: { message: { content: string } }[] };
  return (JSON.parse(choices[0]?.message.content ?? '{}') as { state: string }).state;
}

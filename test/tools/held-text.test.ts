import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { user } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { startGateway } from '../support/gateway.ts';
import { ask, called, choiceWith, tools, written } from './requests.ts';

describe('--max-tool-call-parse-bytes', () => {
  let conch: Conch;
  beforeAll(async () => {
    conch = await startGateway('--max-tool-call-parse-bytes', '1024');
  });
  afterAll(() => conch.stop());

  const json = `{"city": "${'x'.repeat(3000)}"}`;
  const responseTo = async (response: string) =>
    (await ask(conch.url, { messages: user(directive({ answer: response })), tools, max_tokens: 4000 })).choices;

  it('bounds what is held back: a call whose name comes too late is text', async () => {
    const response = `<tool_call>\n{"arguments": ${json}, "name": "get_weather"}\n</tool_call>`;
    expect(await responseTo(response)).toEqual([choiceWith({ content: response })]);
  });

  it('does not bound arguments that were sent', async () => {
    expect(await responseTo(written('get_weather', json))).toEqual([
      choiceWith({ calls: [called('get_weather', json)] }),
    ]);
  });
});

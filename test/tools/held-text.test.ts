import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { user } from '../gateway/asking.ts';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { startGateway } from '../support/gateway.ts';
import { ask, called, choiceWith, tools, written } from './asking.ts';

describe('--max-tool-call-parse-bytes', () => {
  let conch: Conch;
  beforeAll(async () => {
    conch = await startGateway('--max-tool-call-parse-bytes', '1024');
  });
  afterAll(() => conch.stop());

  const json = `{"city": "${'x'.repeat(3000)}"}`;
  const answerTo = async (answer: string) =>
    (await ask(conch.url, { messages: user(directive({ answer })), tools, max_tokens: 4000 })).choices;

  it('bounds what is held back: a call whose name comes too late is text', async () => {
    const answer = `<tool_call>\n{"arguments": ${json}, "name": "get_weather"}\n</tool_call>`;
    expect(await answerTo(answer)).toEqual([choiceWith({ content: answer })]);
  });

  it('does not bound arguments that were sent', async () => {
    expect(await answerTo(written('get_weather', json))).toEqual([
      choiceWith({ calls: [called('get_weather', json)] }),
    ]);
  });
});

import OpenAI from 'openai';
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator';
import { describe, expect, it } from 'vitest';
import { cases, message, optionsOf, text } from '../../../../test/support/response-fixtures.ts';
import type { GenerateEvent } from '../../../contracts/events.ts';
import { ApiError } from '../../../errors.ts';
import { ResponseEvents } from './response-events.ts';
import type { ResponseObject } from './response-object.ts';

type Snapshot = OpenAI.Responses.Response;

function written(events: readonly GenerateEvent[]): { body: string; response: ResponseObject } {
  const writer = new ResponseEvents(optionsOf());
  const body = writer.begin([]) + events.map((event) => writer.write(event)).join('') + writer.end();
  return { body, response: writer.response() };
}

/** OpenAI's own client, whose every request gets this stream. */
function clientOf(body: string): OpenAI {
  const headers = { 'content-type': 'text/event-stream' };
  return new OpenAI({
    apiKey: 'none',
    baseURL: 'http://localhost/v1',
    fetch: () => Promise.resolve(new Response(body, { headers })),
  });
}

/** What the client adds to a response: its text, and what it parsed. */
function withAdditions({ output, ...rest }: ResponseObject): object {
  const texts = output.flatMap((item) => (item.type === 'message' ? [item.content[0].text] : []));
  return {
    ...rest,
    output_text: texts.join(''),
    output_parsed: null,
    output: output.map((item) => {
      if (item.type === 'function_call') return { ...item, parsed_arguments: null };
      if (item.type !== 'message') return item;
      return { ...item, content: item.content.map((part) => ({ ...part, parsed: null })) };
    }),
  };
}

describe("OpenAI's client", () => {
  it.each(cases)('puts the same response together from the stream of %s', async (_name, events) => {
    const { body, response } = written(events);
    const stream = clientOf(body).responses.stream({ model: 'toy', input: 'Hi' });
    expect(await stream.finalResponse()).toEqual(withAdditions(response));
  });

  it.each(cases)('knows all of it from the deltas, before the last event: %s', async (_name, events) => {
    const { body, response } = written(events);
    const stream = await clientOf(body).responses.create({ model: 'toy', input: 'Hi', stream: true });
    let snapshot: Snapshot | undefined;
    for await (const event of stream) {
      if (event.type === 'response.completed' || event.type === 'response.incomplete') break;
      snapshot = accumulateResponse(event, snapshot);
    }
    expect(snapshot?.output).toEqual(response.output);
  });

  it('sees a failure as the end of the response', async () => {
    const writer = new ResponseEvents(optionsOf());
    const started = writer.begin([text('Hal')]);
    const body = started + writer.fail(new ApiError('backend_error', 'It broke.'));
    const final = await clientOf(body).responses.stream({ model: 'toy', input: 'Hi' }).finalResponse();
    expect(final).toEqual(withAdditions(writer.response()));
    expect(final).toMatchObject({ status: 'failed', error: { code: 'server_error', message: 'It broke.' } });
    expect(writer.response().output).toEqual([message(0, 'Hal', 'incomplete')]);
  });
});

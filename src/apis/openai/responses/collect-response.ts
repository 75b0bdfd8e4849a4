import type { GenerateEvent } from '../../../contracts/events.ts';
import { ResponseBuilder, type ResponseOptions } from './response-builder.ts';

/** Folds the events of an answer into the response that an unstreamed request gets. */
export async function collectResponse(
  events: AsyncIterable<GenerateEvent[]>,
  options: ResponseOptions,
): Promise<ResponseBuilder> {
  const builder = new ResponseBuilder(options);
  for await (const batch of events) for (const event of batch) builder.push(event);
  builder.end();
  return builder;
}

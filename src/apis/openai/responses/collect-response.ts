import type { Generation } from '../../../contracts/events.ts';
import { runInto } from '../../../generate/run-into.ts';
import { ResponseBuilder, type ResponseOptions } from './response-builder.ts';

/** Folds the events of a generation into the response that a request without streaming gets. */
export async function collectResponse(generation: Generation, options: ResponseOptions): Promise<ResponseBuilder> {
  const builder = new ResponseBuilder(options);
  await runInto(generation, builder);
  builder.end();
  return builder;
}

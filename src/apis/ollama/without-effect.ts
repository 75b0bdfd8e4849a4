import { type Options, unusedOptions } from './options.ts';

/** The fields of requests that may have no effect. */
interface Given {
  readonly options?: Options | null | undefined;
  readonly keep_alive?: number | string | null | undefined;
  readonly truncate?: boolean | null | undefined;
  readonly shift?: boolean | null | undefined;
}

/** What has no effect. What Ollama would cut or shift is refused here, which is what `false` asks for. */
export function withoutEffect({ options, keep_alive: keepAlive, truncate, shift }: Given): string[] {
  return [
    ...unusedOptions(options),
    ...(keepAlive === null || keepAlive === undefined ? [] : ['keep_alive']),
    ...(truncate ? ['truncate'] : []),
    ...(shift ? ['shift'] : []),
  ];
}

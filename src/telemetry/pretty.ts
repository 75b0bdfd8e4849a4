import { Writable } from 'node:stream';
import { PinoPretty } from 'pino-pretty';
import type { LogDestination } from './log-destination.ts';

/** Human-readable log lines, written synchronously, in order with other output. */
export function pretty(isColoured: boolean, destination: LogDestination): NodeJS.WritableStream {
  return PinoPretty({
    destination: new Writable({
      decodeStrings: false,
      write: (text: string, _encoding, done) => {
        destination.write(text);
        done();
      },
    }),
    messageKey: 'message',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    colorize: isColoured,
  });
}

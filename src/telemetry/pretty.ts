import { Writable } from 'node:stream';
import { PinoPretty } from 'pino-pretty';
import type { LogDestination } from './log-destination.ts';

/** Lines for people. Written at once, in order with what else the program prints. */
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

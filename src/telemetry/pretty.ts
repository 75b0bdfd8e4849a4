import { PinoPretty } from 'pino-pretty';

/** Lines for people. Written at once, in order with what else the program prints. */
export function pretty(isColoured: boolean): NodeJS.WritableStream {
  return PinoPretty({
    sync: true,
    messageKey: 'message',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    colorize: isColoured,
  });
}

import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';
import type { Signal } from '../signal.ts';
import { ClientOutput, type Pausable } from './client-output.ts';
import { openStream } from './events.ts';

/** Hears of texts as they come. */
interface TextSink {
  text(text: string): void;
  end(): void;
  /** It ends in the middle. */
  fail(error: unknown): void;
}

/** Begins to give texts to a sink, also at once; gives what pauses and cancels them. */
type TextSource = (sink: TextSink) => Pausable & { cancel(): void };

/** Streams events that are written already. */
export function sendTexts(reply: FastifyReply, source: TextSource, signal: Signal): Promise<void> {
  return new Promise((resolve) => {
    openStream(reply);
    const output = new ClientOutput(reply.raw, { source: () => running });
    const end = (): void => {
      signal.removeEventListener('abort', onAbort);
      output.end('');
      resolve();
    };
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort);
      reply.request.fault = ApiError.from(error);
      output.close();
      // The status is sent: a response that breaks off is not taken for a whole one.
      reply.raw.destroy();
      resolve();
    };
    const onAbort = (): void => {
      running.cancel();
      output.close();
      resolve();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const running = source({ text: (text) => output.append(text), end, fail });
    if (signal.aborted) onAbort();
  });
}

/** Texts that are asked for one after the other. */
export function textsOf(texts: AsyncIterable<string>): TextSource {
  return (sink) => {
    let isOver = false;
    let hasRoom: Promise<void> | undefined;
    let goOn = (): void => undefined;
    const give = async (): Promise<void> => {
      for await (const text of texts) {
        await hasRoom;
        if (isOver) return;
        sink.text(text);
      }
      if (!isOver) sink.end();
    };
    give().catch((error: unknown) => sink.fail(error));
    return {
      pause: () => {
        hasRoom ??= new Promise((resolve) => {
          goOn = resolve;
        });
      },
      resume: () => {
        hasRoom = undefined;
        goOn();
      },
      cancel: () => {
        isOver = true;
        goOn();
      },
    };
  };
}

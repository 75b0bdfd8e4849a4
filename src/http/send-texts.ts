import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';
import type { Signal } from '../signal.ts';
import { ClientOutput, type Pausable } from './client-output.ts';
import { openStream } from './events.ts';

/** Receives texts as they arrive. */
interface TextSink {
  text(text: string): void;
  end(): void;
  /** The source failed before its end. */
  fail(error: unknown): void;
}

/** Starts to send texts to a sink, possibly synchronously. Returns a handle that pauses and cancels. */
type TextSource = (sink: TextSink) => Pausable & { cancel(): void };

/** Streams events that are already encoded. */
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
      reply.request.error = ApiError.from(error);
      output.close();
      // The status is sent: break off, so that the client does not take the response for complete.
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

/** A source that reads texts from an iterable. */
export function textsOf(texts: AsyncIterable<string>): TextSource {
  return (sink) => {
    let isOver = false;
    let untilWritable: Promise<void> | undefined;
    let goOn = (): void => undefined;
    const give = async (): Promise<void> => {
      for await (const text of texts) {
        await untilWritable;
        if (isOver) return;
        sink.text(text);
      }
      if (!isOver) sink.end();
    };
    give().catch((error: unknown) => sink.fail(error));
    return {
      pause: () => {
        untilWritable ??= new Promise((resolve) => {
          goOn = resolve;
        });
      },
      resume: () => {
        untilWritable = undefined;
        goOn();
      },
      cancel: () => {
        isOver = true;
        goOn();
      },
    };
  };
}

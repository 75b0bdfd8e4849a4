import type { InferResponse, ResponseSink, RunningInference } from './server.ts';

type Begin = (sink: ResponseSink) => RunningInference;

/** The first response of an inference, which is then cancelled; undefined if it ends without one. */
export function firstResponse(begin: Begin): Promise<InferResponse | undefined> {
  return new Promise((resolve, reject) => {
    const running = begin({
      response: (response) => {
        resolve(response.detached());
        running.cancel();
      },
      end: (error) => (error === undefined ? resolve(undefined) : reject(error)),
    });
  });
}

/** Resolves when an inference has ended; calls `onResponse` for its responses. */
export function untilEnd(begin: Begin, onResponse?: (response: InferResponse) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    begin({
      response: (response) => onResponse?.(response),
      end: (error) => (error === undefined ? resolve() : reject(error)),
    });
  });
}

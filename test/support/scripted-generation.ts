import type { EventSink, Generation, RunningGeneration } from '../../src/contracts/events.ts';

/** A generation that gives what a test has its sink hear, and notes what is done with it. */
export class ScriptedGeneration implements Generation, RunningGeneration {
  sink: EventSink | undefined;
  readonly calls: string[] = [];

  start(sink: EventSink): this {
    this.sink = sink;
    return this;
  }

  pause(): void {
    this.calls.push('pause');
  }

  resume(): void {
    this.calls.push('resume');
  }

  cancel(): void {
    this.calls.push('cancel');
  }
}

/** A sink that notes texts, the types of other events, and how it ended. */
export function sinkOf() {
  const received: string[] = [];
  const sink: EventSink = {
    text: (_, text) => received.push(text),
    event: ({ type }) => received.push(type),
    end: () => received.push('end'),
    fail: (error) => received.push((error as Error).message),
  };
  return { received, sink };
}

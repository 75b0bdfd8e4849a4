import { inject } from 'vitest';
import type { CallOptions, InferenceServer } from '../../src/kserve/server.ts';
import { remoteServer } from '../grpc/remote.ts';
import { type Frontends, startFrontends } from '../kserve/frontends.ts';

/** The shared tritonserver behind a server of our own that tells which metadata came with each inference. */
export interface RecordingTriton extends Frontends {
  readonly metadata: Readonly<Record<string, string>>[];
}

export async function startRecordingTriton(): Promise<RecordingTriton> {
  const metadata: Readonly<Record<string, string>>[] = [];
  const triton = remoteServer(inject('triton').grpcPort);
  const record = (options: CallOptions = {}): CallOptions => {
    metadata.push(options.metadata ?? {});
    return options;
  };
  const recording: InferenceServer = {
    name: triton.name,
    call: (method, request, options) => triton.call(method, request, options),
    infer: (request, options) => triton.infer(request, record(options)),
    stream: (request, sink, options) => triton.stream(request, sink, record(options)),
    close: () => triton.close(),
  };
  return { ...(await startFrontends(recording)), metadata };
}

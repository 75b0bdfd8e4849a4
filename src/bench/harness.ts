/** What the programs in bench/ use of Conch, built as dist/bench/harness.js: the load, and Triton's protocol. */
export { decodeControlRequest, encodeControlResponse, isControlMethod, methodPath } from '../kserve/control-codec.ts';
export { FrameReader as MessageReader } from '../kserve/grpc-frames.ts';
export { WireRequest } from '../kserve/infer-request-codec.ts';
export { encodeInferRequest } from '../kserve/infer-request-writer.ts';
export { encodeStreamFailure, encodeStreamRefusal, encodeStreamResponse } from '../kserve/infer-response-codec.ts';
export { Http2FrameReader } from '../servers/remote/http2/frame-reader.ts';
export * as frames from '../servers/remote/http2/frames.ts';
export { encodeHeader } from '../servers/remote/http2/hpack-encoder.ts';
export { ReadBuffer } from '../servers/remote/http2/read-buffer.ts';
export { EventReader } from './load/event-reader.ts';
export { generateLoad } from './load/generate-load.ts';
export { GrpcClient } from './load/grpc-client.ts';
export { HttpClient, httpRequest } from './load/http-client.ts';
export { processTree, usageOf } from './process-usage.ts';
export { percentile } from './statistics.ts';

import http2, { type IncomingHttpHeaders } from 'node:http2';

/** How a gRPC call ended, as it stands on the wire. */
export interface GrpcStatus {
  readonly status: string | undefined;
  readonly message: string | undefined;
}

/** Calls a method with one empty message. */
export async function grpcStatus(
  port: number,
  path: string,
  metadata: Readonly<Record<string, string>> = {},
): Promise<GrpcStatus> {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  try {
    return await new Promise<GrpcStatus>((resolve, reject) => {
      session.on('error', reject);
      const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
      const stream = session.request({ ...headers, ...metadata });
      const look = (held: IncomingHttpHeaders): void => {
        if (held['grpc-status'] === undefined) return;
        resolve({ status: String(held['grpc-status']), message: held['grpc-message']?.toString() });
      };
      stream.on('response', look);
      stream.on('trailers', look);
      stream.on('error', reject);
      stream.resume();
      stream.end(Buffer.alloc(5));
    });
  } finally {
    session.destroy();
  }
}

/** The frames of HTTP/2 (RFC 9113, 6). */
export const frameTypes = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

export const flags = { END_STREAM: 1, ACK: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 32 } as const;

export const settingIds = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const;

/** Why a stream or a connection was ended (RFC 9113, 7). */
export const errorCodes = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  CONNECT_ERROR: 10,
  ENHANCE_YOUR_CALM: 11,
  INADEQUATE_SECURITY: 12,
  HTTP_1_1_REQUIRED: 13,
} as const;

export type ErrorName = keyof typeof errorCodes;

/** The server violates HTTP/2: the connection ends. */
export class ProtocolError extends Error {
  readonly code: ErrorName;

  constructor(code: ErrorName, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
  }
}

export const frameHead = 9;
export const smallestFrameLimit = 16_384;
export const largestFrameLimit = 2 ** 24 - 1;
export const largestWindow = 2 ** 31 - 1;
export const firstWindow = 65_535;

/** The first bytes that a client sends. */
export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** Writes the head of a frame into a buffer. */
export function writeHead(
  bytes: Buffer,
  at: number,
  { length, type, flags: bits = 0, stream = 0 }: { length: number; type: number; flags?: number; stream?: number },
): void {
  bytes.writeUIntBE(length, at, 3);
  bytes[at + 3] = type;
  bytes[at + 4] = bits;
  bytes.writeUInt32BE(stream, at + 5);
}

/** A frame whose payload is a list of 32-bit numbers. */
export function numberFrame(type: number, stream: number, ...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(frameHead + values.length * 4);
  writeHead(bytes, 0, { length: values.length * 4, type, stream });
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, frameHead + index * 4);
  return bytes;
}

export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const bytes = Buffer.allocUnsafe(frameHead + settings.length * 6);
  writeHead(bytes, 0, { length: settings.length * 6, type: frameTypes.SETTINGS });
  for (const [index, [id, value]] of settings.entries()) {
    bytes.writeUInt16BE(id, frameHead + index * 6);
    bytes.writeUInt32BE(value, frameHead + index * 6 + 2);
  }
  return bytes;
}

export const settingsAck = (() => {
  const bytes = Buffer.allocUnsafe(frameHead);
  writeHead(bytes, 0, { length: 0, type: frameTypes.SETTINGS, flags: flags.ACK });
  return bytes;
})();

export function pingFrame(payload: Buffer, isAck: boolean): Buffer {
  const bytes = Buffer.allocUnsafe(frameHead + 8);
  writeHead(bytes, 0, { length: 8, type: frameTypes.PING, flags: isAck ? flags.ACK : 0 });
  payload.copy(bytes, frameHead, 0, 8);
  return bytes;
}

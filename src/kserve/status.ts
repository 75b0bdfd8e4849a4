/** The status codes of gRPC, which are also those of the v2 protocol. */
export const statusCodes = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

export type StatusCode = keyof typeof statusCodes;

const names = new Map(Object.entries(statusCodes).map(([name, number]) => [number as number, name as StatusCode]));

/** The name of a status number; one that gRPC does not define is UNKNOWN. */
export function statusName(code: number): StatusCode {
  return names.get(code) ?? 'UNKNOWN';
}

interface StatusDetails {
  /** True if the server was unreachable or the connection was lost, so that it never processed the request. */
  readonly unreachable?: boolean;
  readonly cause?: unknown;
}

/** A failed call to an inference server, with the server's code and message. */
export class StatusError extends Error {
  readonly code: StatusCode;
  readonly unreachable: boolean;

  constructor(code: StatusCode, message: string, details: StatusDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'StatusError';
    this.code = code;
    this.unreachable = details.unreachable ?? false;
  }
}

/** A call to a server that Conch restarts at the moment. */
export class ServerRestarting extends StatusError {
  constructor(server: string) {
    super('UNAVAILABLE', `${server} is being restarted.`);
  }
}

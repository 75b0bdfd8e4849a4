import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../../../errors.ts';
import type { RequestRecord } from '../../../request-watch.ts';
import type { ResponseObject } from './response-object.ts';

interface Ended {
  readonly response: ResponseObject;
  readonly fault: ApiError | undefined;
}

/** The line of the log for a response that was made in the background; that of its request was written long before. */
export function backgroundLine(request: FastifyRequest, watch: RequestRecord, { response, fault }: Ended): void {
  const { id, status } = response;
  const hasLeft = status === 'cancelled';
  const code = hasLeft ? 'client_closed_request' : fault?.code;
  const measured = watch.end({ status: hasLeft ? 499 : (fault?.status ?? 200), code, hasLeft, key: request.key?.name });
  request.log.info({ id, outcome: status, model: request.model, ...measured }, 'background response');
}

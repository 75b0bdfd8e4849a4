import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

const header = 'x-conch-priority';
const highest = 10;

/** The queue priority of a request, from its header; 0 by default. Above 0, its key must allow it. */
export function priorityOf(request: FastifyRequest): number {
  const value = request.headers[header];
  if (value === undefined) return 0;
  const priority = /^[+-]?\d{1,2}$/.test(String(value)) ? Number(value) : Number.NaN;
  if (!(Math.abs(priority) <= highest))
    throw new ApiError(
      'invalid_request',
      `${header}: must be an integer from -${highest} to ${highest}, not ${JSON.stringify(String(value).slice(0, 32))}.`,
      { param: header },
    );
  if (priority > 0 && !mayPrioritize(request))
    throw new ApiError('priority_not_allowed', `${header}: this API key does not allow a priority above 0.`, {
      param: header,
    });
  return priority;
}

function mayPrioritize(request: object): boolean {
  const key: unknown = 'key' in request ? request.key : undefined;
  return typeof key === 'object' && key !== null && 'mayPrioritize' in key && key.mayPrioritize === true;
}

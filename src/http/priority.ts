import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

const header = 'x-conch-priority';
const highest = 10;

/** How far in front a request waits: what its header says, else 0. To come before others takes a key that may. */
export function priorityOf(request: FastifyRequest): number {
  const given = request.headers[header];
  if (given === undefined) return 0;
  const priority = /^[+-]?\d{1,2}$/.test(String(given)) ? Number(given) : Number.NaN;
  if (!(Math.abs(priority) <= highest))
    throw new ApiError('invalid_request', `${header}: must be a whole number from -${highest} to ${highest}.`, {
      param: header,
    });
  if (priority > 0 && !mayPrioritize(request))
    throw new ApiError('priority_not_allowed', `${header}: your API key may not ask for a priority above 0.`, {
      param: header,
    });
  return priority;
}

function mayPrioritize(request: object): boolean {
  const key: unknown = 'key' in request ? request.key : undefined;
  return typeof key === 'object' && key !== null && 'mayPrioritize' in key && key.mayPrioritize === true;
}

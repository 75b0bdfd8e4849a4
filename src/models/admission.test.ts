import { describe, expect, it } from 'vitest';
import type { ApiError } from '../errors.ts';
import { LocalGates } from '../limits/local-gates.ts';
import { Admission, type AdmissionRequest } from './admission.ts';

/** A request, and what its watch hears. */
function applicant(value: Partial<AdmissionRequest> = {}): AdmissionRequest & { readonly received: string[] } {
  const received: string[] = [];
  const begin = (phase: string) => {
    received.push(`begin ${phase}`);
    return () => received.push(`end ${phase}`);
  };
  return { priority: 0, signal: new AbortController().signal, watch: { begin }, received, ...value };
}

const admission = (timeout?: number) =>
  new Admission({
    gates: new LocalGates(),
    limitsOf: (root) => (root === 'free' ? undefined : { running: 1, waiting: 1 }),
    timeout: () => timeout,
  });

describe('Admission', () => {
  it('asks nothing of a model without limits', async () => {
    const door = admission();
    const request = applicant();
    await Promise.all(Array.from({ length: 5 }, () => door.enter('free', request)));
    expect([door.isLimited('free'), door.isLimited('llama'), request.received]).toEqual([false, true, []]);
  });

  it('tells the watch how long a request is in the queue, also where it is refused', async () => {
    const door = admission();
    const requests = [applicant(), applicant(), applicant()] as const;
    const leave = await door.enter('llama', requests[0]);
    const second = door.enter('llama', requests[1]);
    await expect(door.enter('llama', requests[2])).rejects.toThrow('The queue of the model llama is full');
    expect(requests.map(({ received }) => received)).toEqual([
      ['begin queue', 'end queue'],
      ['begin queue'],
      ['begin queue', 'end queue'],
    ]);
    leave();
    await second;
    expect(requests[1].received).toEqual(['begin queue', 'end queue']);
  });

  it('gives up a request that has waited too long, and its place in the queue', async () => {
    const door = admission(1);
    await door.enter('llama', applicant());
    for (let count = 0; count < 2; count++) {
      const failure = await door.enter('llama', applicant()).catch((error: ApiError) => error);
      expect(failure).toMatchObject({
        code: 'deadline_exceeded',
        message: 'The request timed out in the queue of the model llama. Try again later.',
      });
    }
  });

  it('does not let a request in whose client has left', async () => {
    const left = applicant({ signal: AbortSignal.abort() });
    await expect(admission().enter('llama', left)).rejects.toMatchObject({ code: 'client_closed_request' });
  });
});

import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { priorityOf } from './priority.ts';

const request = (priority: string | undefined, key?: object) =>
  ({ headers: { 'x-conch-priority': priority }, ...(key ? { key } : {}) }) as unknown as FastifyRequest;

describe('priorityOf', () => {
  it.each([
    [undefined, undefined, 0],
    ['0', undefined, 0],
    ['-10', undefined, -10],
    ['10', { mayPrioritize: true }, 10],
    ['+3', { mayPrioritize: true }, 3],
  ])('of %j with the key %j is %j', (value, key, expected) => {
    expect(priorityOf(request(value, key))).toBe(expected);
  });

  it.each([
    ['1', undefined, 'priority_not_allowed'],
    ['1', { mayPrioritize: false }, 'priority_not_allowed'],
    ['11', { mayPrioritize: true }, 'invalid_request'],
    ['1.5', { mayPrioritize: true }, 'invalid_request'],
    ['1, 2', { mayPrioritize: true }, 'invalid_request'],
    ['', { mayPrioritize: true }, 'invalid_request'],
  ])('of %j with the key %j is refused with %s', (value, key, code) => {
    expect(() => priorityOf(request(value, key))).toThrow(expect.objectContaining({ code, param: 'x-conch-priority' }));
  });
});

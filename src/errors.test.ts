import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ApiError, errorTable } from './errors.ts';

describe('the error table', () => {
  it('is the table of docs/errors.md: every code with its status, and no other', () => {
    const page = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8');
    const documented = [...page.matchAll(/^\| `(\w+)` +\| (\d{3}) +\|/gm)].map(([, code, status]) => [
      code,
      Number(status),
    ]);
    expect(documented).toEqual(Object.entries(errorTable).map(([code, { status }]) => [code, status]));
  });
});

describe('ApiError', () => {
  it("has OpenAI's shape", () => {
    const error = new ApiError('invalid_request', 'temperature: too high', { param: 'temperature' });
    expect(error.status).toBe(400);
    expect(error.body()).toEqual({
      error: {
        message: 'temperature: too high',
        type: 'invalid_request_error',
        param: 'temperature',
        code: 'invalid_request',
      },
    });
  });

  it('keeps all but its field when that is renamed', () => {
    const error = new ApiError('rate_limit_exceeded', 'tools: too many', {
      param: 'tools',
      retryAfter: 90,
      headers: { allow: 'GET' },
      isFinal: true,
      cause: 'why',
    });
    const { message, param, retryAfter, headers, isFinal, cause } = error.renamed('functions');
    expect({ message, param, retryAfter, headers, isFinal, cause }).toEqual({
      message: 'functions: too many',
      param: 'functions',
      retryAfter: 90,
      headers: { allow: 'GET' },
      isFinal: true,
      cause: 'why',
    });
    expect(new ApiError('invalid_request', 'no').renamed('a').isFinal).toBe(false);
  });

  it('keeps everything when it becomes final', () => {
    const details = { param: 'n', retryAfter: 1, headers: { allow: 'GET' }, cause: 'why' };
    const error = new ApiError('backend_error', 'n: broken', details);
    expect([error.isFinal, error.asFinal()]).toEqual([
      false,
      new ApiError('backend_error', 'n: broken', { ...details, isFinal: true }),
    ]);
  });

  it('does not send the text of an unexpected error to the client', () => {
    const cause = new TypeError('/secret/path is undefined');
    const error = ApiError.from(cause);
    expect(error.cause).toBe(cause);
    expect(error.body()).toEqual({
      error: {
        message: 'The server met an unexpected condition. The log has the details.',
        type: 'server_error',
        param: null,
        code: 'internal_error',
      },
    });
    expect(ApiError.from(error)).toBe(error);
  });
});

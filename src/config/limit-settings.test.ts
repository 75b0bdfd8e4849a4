import { describe, expect, it } from 'vitest';
import { allowedOrigins } from './limit-settings.ts';

describe('allowed origins', () => {
  it.each([
    [[], []],
    [['*'], ['*']],
    [['https://app.example.com'], ['https://app.example.com']],
    [
      ['https://App.example.com:8443, http://localhost:3000'],
      ['https://app.example.com:8443', 'http://localhost:3000'],
    ],
    [
      ['http://a', 'http://b'],
      ['http://a', 'http://b'],
    ],
  ])('takes %j', (value, expected) => expect(allowedOrigins.parse(value)).toEqual(expected));

  it.each([
    ['app.example.com'],
    ['https://app.example.com/'],
    ['https://app.example.com/path'],
    ['https://me@app.example.com'],
    ['https://*.example.com'],
    ['ftp://a'],
    ['null'],
    [''],
    ['*,https://a'],
  ])('refuses %j', (value) => expect(allowedOrigins.safeParse([value]).success).toBe(false));
});

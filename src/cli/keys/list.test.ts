import { expect, it } from 'vitest';
import { hashOf } from '../../keys/secrets.ts';
import { keyTable } from './list.ts';

const one = { name: 'one', hash: hashOf('pearl') };
const limits = { requests_per_minute: 600, tokens_per_minute: 1_000_000, concurrent: 16, priority: true };

it('leaves out the columns that no key fills', () => {
  expect(keyTable([one])).toMatchInlineSnapshot(`
    "NAME  HASH      MODELS
    one   26e3b2a5  *"
  `);
  expect(keyTable([one, { ...one, name: 'two', concurrent: 2, expires: '2020-01-31' }])).toMatchInlineSnapshot(`
    "NAME  HASH      MODELS  CONC  EXPIRES
    one   26e3b2a5  *       -     never
    two   26e3b2a5  *       2     expired"
  `);
});

it('fits 80 columns, with shorter names and models', () => {
  const models = ['llama-3.1-70b-instruct', 'qwen*'];
  const full = { ...one, ...limits, name: 'team-of-the-data-platform', models, expires: '2099-01-31T12:00:00Z' };
  const text = keyTable([full, one]);
  expect(text).toMatchInlineSnapshot(`
    "NAME          HASH      MODELS      REQ/MIN  TOK/MIN  CONC  PRIORITY  EXPIRES
    team-of-the…  26e3b2a5  llama-3.1…  600      1000000  16    yes       2099-01-31
    one           26e3b2a5  *           -        -        -     no        never"
  `);
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

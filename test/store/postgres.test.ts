import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/responses/store/open-store.ts';
import { StoreError } from '../../src/responses/store/store-error.ts';
import { CertificateMaker } from '../grpc/certificates.ts';
import { isPostgresLeftOut, Postgres, postgresPassword } from '../support/postgres.ts';
import { responseOfSize, wide } from './locations.ts';

const isLeftOut = isPostgresLeftOut();

/** Why a store cannot be opened. */
async function refusal(location: string): Promise<string> {
  const error = await openStore(location, wide).then(
    async (store) => store.close(),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/sesame|wrong-one/);
  return (error as StoreError).message;
}

describe.skipIf(isLeftOut)('a PostgreSQL store', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await Postgres.start();
  });
  afterAll(() => postgres.remove());

  function newDatabase(name: string): string {
    postgres.query(`CREATE DATABASE ${name}`);
    return postgres.url(name);
  }

  it('says what is wrong with the way to it, never the password', async () => {
    const { url, name } = { url: postgres.url(), name: postgres.name() };
    const password = encodeURIComponent(postgresPassword);
    expect(await refusal(url.replace(password, 'wrong-one'))).toBe(
      `${name}: password authentication failed for user "conch". Check the user and password in the URL of the store.`,
    );
    expect(await refusal(postgres.url('nowhere'))).toBe(
      `${postgres.name('nowhere')}: database "nowhere" does not exist. Create the database, or use another one in the URL of the store.`,
    );
    expect(await refusal(`postgres://conch:${password}@127.0.0.1:1/conch`)).toBe(
      'PostgreSQL at 127.0.0.1:1/conch: connect ECONNREFUSED 127.0.0.1:1. Check that the server is running and reachable.',
    );
    expect(await refusal(`${url}?sslmode=require`)).toBe(`${name}: The server does not support SSL connections.`);
  });

  it('says so when a save fails, and goes on when the server is back', async () => {
    const store = await openStore(newDatabase('restarted'), wide);
    const first = responseOfSize(1000, { id: 'resp_1' });
    const second = responseOfSize(1000, { id: 'resp_2' });
    await store.save(first);
    await postgres.end();
    const failure: unknown = await store.save(second).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'store_unavailable',
      status: 503,
      message: 'The response could not be stored. See the server log for details.',
      cause: { message: expect.stringContaining(`${postgres.name('restarted')}: connect ECONNREFUSED`) },
    });
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain('sesame');
    await postgres.begin();
    await store.save(second);
    expect([await store.find('ann', 'resp_1'), await store.find('ann', 'resp_2')]).toEqual([first, second]);
    await store.close();
  });

  it('is not disturbed by connections that ended while nobody used them', async () => {
    const store = await openStore(newDatabase('idle'), wide);
    const responses = Array.from({ length: 20 }, (_, at) => responseOfSize(1000, { id: `resp_${at}` }));
    await Promise.all(responses.map((response) => store.save(response)));
    postgres.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'idle'`);
    const found = await Promise.all(responses.map(({ id }) => store.find('ann', id)));
    expect(found).toEqual(responses);
    await store.close();
  });

  it('refuses tables of a newer version', async () => {
    const location = newDatabase('newer');
    await (await openStore(location, wide)).close();
    postgres.query('UPDATE conch_store SET version = 2', 'newer');
    expect(await refusal(location)).toBe(
      `${postgres.name('newer')}: a newer version of Conch created the tables (schema 2; this version supports up to 1). Upgrade Conch, or use another database.`,
    );
  });

  it('refuses a database that cannot hold every character', async () => {
    postgres.query(`CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0`);
    expect(await refusal(postgres.url('latin'))).toBe(
      `${postgres.name('latin')}: the database has the encoding LATIN1. Create one with the encoding UTF8.`,
    );
  });

  it('needs no right to make tables that are there, and says when it may not hold the limits', async () => {
    const location = newDatabase('granted');
    await (await openStore(location, wide)).close();
    postgres.query(`CREATE ROLE clerk LOGIN PASSWORD 'sesame-2'`);
    postgres.query('GRANT SELECT, INSERT, UPDATE ON conch_responses, conch_store TO clerk', 'granted');
    const errors: string[] = [];
    const url = location.replace(/\/\/.*@/, '//clerk:sesame-2@');
    const store = await openStore(url, wide, (error) => errors.push(error.message));
    const response = responseOfSize(1000, { id: 'resp_1' });
    await store.save(response);
    expect(await store.find('ann', 'resp_1')).toEqual(response);
    await store.close();
    expect(errors).toEqual([
      `${postgres.name('granted')}: permission denied for table conch_responses. Grant the user permission to create tables in its schema, and to read and write Conch's tables.`,
    ]);
  });
});

const maker = new CertificateMaker();

describe.skipIf(isLeftOut || maker.isLeftOut)('a PostgreSQL store over TLS', () => {
  let postgres: Postgres;
  let authorityFile: string;
  beforeAll(async () => {
    authorityFile = maker.authority('store-authority').certificateFile;
    maker.authority('strange-authority');
    postgres = await Postgres.start({ tls: maker.signed('store', { by: 'store-authority', names: 'DNS:localhost' }) });
  });
  afterAll(async () => {
    maker.remove();
    await postgres.remove();
  });

  it('encrypts as the URL says', async () => {
    const byName = postgres.url().replace('127.0.0.1', 'localhost');
    const locations = [
      `${postgres.url()}?sslmode=require`,
      `${postgres.url()}?sslmode=verify-ca&sslrootcert=${authorityFile}`,
      `${byName}?sslmode=verify-full&sslrootcert=${authorityFile}`,
    ];
    for (const location of locations) {
      const store = await openStore(location, wide);
      const response = responseOfSize(1000, { id: 'resp_1' });
      await store.save(response);
      expect(await store.find('ann', 'resp_1')).toEqual(response);
      await store.close();
    }
  });

  it('refuses a server that is not the one, and is refused without encryption', async () => {
    const strange = authorityFile.replace('store-authority', 'strange-authority');
    expect(await refusal(`${postgres.url()}?sslmode=disable`)).toContain('no encryption');
    expect(await refusal(`${postgres.url()}?sslmode=verify-full&sslrootcert=${authorityFile}`)).toContain(
      'Check its certificate, sslmode and sslrootcert.',
    );
    expect(await refusal(`${postgres.url()}?sslmode=verify-ca&sslrootcert=${strange}`)).toContain(
      'Check its certificate, sslmode and sslrootcert.',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { lockedBook, tinyApp } from '../../../test/support/tiny-app.ts';
import { pageEndpoints } from './page.ts';
import { pageFile } from './page-files.ts';

const html = pageFile('index.html', Buffer.from('<!doctype html><title>Conch</title>'));
const script = pageFile('assets/index-12345678.js', Buffer.from('start();'), Buffer.from('zipped'));

function appWith(page: readonly ReturnType<typeof pageFile>[], isLocked = false) {
  const restrictedApis = [{ apis: ['health'] as const, header: 'admin', value: 'secret' }];
  return tinyApp(pageEndpoints(page), { restrictedApis, ...(isLocked ? { keys: lockedBook({ key: 'secret' }) } : {}) });
}

describe('the page', () => {
  it('is at /, and not cached', async () => {
    const { statusCode, headers, body } = await appWith([html, script]).inject('/');
    expect({ statusCode, body }).toEqual({ statusCode: 200, body: '<!doctype html><title>Conch</title>' });
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      vary: 'accept-encoding',
      etag: html.etag,
    });
  });

  it('lets browsers keep files whose names change with what they hold', async () => {
    const { headers, body } = await appWith([html, script]).inject('/assets/index-12345678.js');
    expect(body).toBe('start();');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-encoding']).toBeUndefined();
  });

  it.each([
    ['gzip, deflate, br', 'gzip'],
    ['br;q=1, gzip;q=0.2', 'gzip'],
    ['gzip;q=0', undefined],
    ['br', undefined],
  ])('responds to Accept-Encoding %j with %s', async (accepted, coding) => {
    const response = await appWith([script]).inject({ url: script.path, headers: { 'accept-encoding': accepted } });
    expect(response.headers['content-encoding']).toBe(coding);
    expect(response.body).toBe(coding === undefined ? 'start();' : 'zipped');
  });

  it.each([html.etag, html.etag.slice(2), `"other", ${html.etag}`, '*'])(
    'is not sent to whoever has %s',
    async (tag) => {
      const { statusCode, body, headers } = await appWith([html]).inject({
        url: '/',
        headers: { 'if-none-match': tag },
      });
      expect({ statusCode, body, etag: headers['etag'] }).toEqual({ statusCode: 304, body: '', etag: html.etag });
    },
  );

  it('is sent to clients with another version', async () => {
    const response = await appWith([html]).inject({ url: '/', headers: { 'if-none-match': '"other"' } });
    expect(response.statusCode).toBe(200);
  });

  it('needs neither a key nor the header of a restricted API', async () => {
    expect((await appWith([html], true).inject('/')).statusCode).toBe(200);
  });

  it('is not there without its files', async () => {
    expect((await appWith([]).inject('/')).statusCode).toBe(404);
  });

  it('rejects files of an unknown type', () => {
    expect(() => pageFile('notes.txt', Buffer.from(''))).toThrow('/notes.txt');
  });
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { organizationProfile, ReplyOf } from '@holdfast/contracts';
import { CONFIG } from '@holdfast/service';
import { OrganizationProfiles } from '../access/organization-profiles.js';
import { ProblemFilter } from '../edge/problems/problem.filter.js';
import { newRequestContext } from '../edge/request-context.js';
import { RouteTable } from '../endpoints/route-table.js';
import { StartPagesController } from './start-pages.controller.js';

const known: ReplyOf<typeof organizationProfile>[] = [
  {
    shortId: 'acme',
    name: 'Acme & <b>Sons</b>',
    startUrl: 'https://acme.example/?a=1&b=2',
    helpUrl: 'https://help.example',
  },
  { shortId: 'globex', name: 'Globex' },
];
const asBrowser = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' };

describe('the pages for people who come without a link', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => {
    const find = (shortId: string) => Promise.resolve(known.find((profile) => profile.shortId === shortId));
    const made = await Test.createTestingModule({
      controllers: [StartPagesController],
      providers: [
        RouteTable,
        { provide: OrganizationProfiles, useValue: { find } },
        { provide: CONFIG, useValue: { BASE_URL: 'https://id.example' } },
      ],
    }).compile();
    app = made.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    app.useGlobalFilters(new ProblemFilter(app.get(CONFIG), app.get(RouteTable), app.get(OrganizationProfiles)));
    const fastify = app.getHttpAdapter().getInstance();
    fastify.decorateRequest('requestContext');
    fastify.addHook('onRequest', (request, _reply, done) => {
      request.requestContext = newRequestContext(request);
      done();
    });
    await app.init();
  });
  afterAll(() => app.close());

  const get = (url: string, headers: Record<string, string> = asBrowser) => app.inject({ method: 'GET', url, headers });
  const linksOf = (html: string) =>
    [...html.matchAll(/<a class="control [a-z]+" href="([^"]*)">([^<]*)</g)].map((m) => m.slice(1));

  test('/ says what this is', async () => {
    const { statusCode, headers, payload } = await get('/');
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toContain("default-src 'none'; style-src 'self'");
    expect(headers.vary).toBe('accept, accept-language, sec-fetch-mode');
    expect(payload).toContain('<h1>This is a sign-in service</h1>');
    expect(linksOf(payload)).toEqual([['/docs', 'Reference for developers']]);
  });

  test('pages get name and addresses of an organization as JSON, and 404 for an unknown one', async () => {
    const shown = async (shortId: string) => {
      const { statusCode, payload } = await get(`/o/${shortId}/api/organization`, { accept: 'application/json' });
      return [statusCode, JSON.parse(payload)] as [number, Record<string, unknown>];
    };
    const { shortId: _, ...acme } = known[0]!;
    expect(await shown('acme')).toEqual([200, acme]);
    expect(await shown('globex')).toEqual([200, { name: 'Globex' }]);
    expect(await shown('initech')).toMatchObject([404, { code: 'unknown_organization' }]);
  });

  test('that of an organization has its name, start address and help address, all of it escaped', async () => {
    const { statusCode, payload } = await get('/o/acme');
    expect(statusCode).toBe(200);
    expect(payload).toContain('<h1>Acme &amp; &lt;b&gt;Sons&lt;/b&gt; signs in its customers here</h1>');
    expect(payload).not.toContain('<b>');
    expect(linksOf(payload)).toEqual([
      ['https://acme.example/?a=1&amp;b=2', 'Continue to Acme &amp; &lt;b&gt;Sons&lt;/b&gt;'],
      ['https://help.example', 'Get help from Acme &amp; &lt;b&gt;Sons&lt;/b&gt;'],
      ['/o/acme/account', 'Your passkeys, and where you are signed in'],
      ['/hub/acme', 'For people who work at Acme &amp; &lt;b&gt;Sons&lt;/b&gt;'],
    ]);
  });

  test('that of an organization without addresses says where to start', async () => {
    const { payload } = await get('/o/globex');
    expect(payload).toContain('Start from the app or website of Globex');
    expect(linksOf(payload)).toEqual([
      ['/o/globex/account', 'Your passkeys, and where you are signed in'],
      ['/hub/globex', 'For people who work at Globex'],
    ]);
  });

  test('that of an unknown organization is 404, the same whatever the short ID', async () => {
    const [first, second] = [await get('/o/nobody-here'), await get('/o/%3Cb%3E')];
    const withoutIds = ({ payload }: typeof first) => payload.replace(/request [0-9a-f-]{36}/, '');
    expect([first.statusCode, second.statusCode]).toEqual([404, 404]);
    expect(first.payload).toContain('<h1>No organization has this address</h1>');
    expect(withoutIds(first)).toBe(withoutIds(second));
  });

  test.each(['/', '/o/acme', '/o/nobody-here'])('%s is the same problem document for programs', async (url) => {
    for (const headers of [{}, { accept: 'application/json' }, { accept: '*/*' }] as Record<string, string>[]) {
      const { statusCode, headers: got, payload } = await get(url, headers);
      expect([statusCode, got['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8']);
      expect(JSON.parse(payload)).toMatchObject({ code: 'not_found' });
    }
  });
});

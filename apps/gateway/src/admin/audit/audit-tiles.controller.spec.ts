import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessTokenClaims } from '@holdfast/contracts';
import type { Bus } from '@holdfast/messaging';
import { newRequestContext } from '../../edge/request-context.js';
import { AuditTilesController } from './audit-tiles.controller.js';

let queries: unknown[];
let headers: Record<string, string>;

const controller = new AuditTilesController({
  request: (_contract: unknown, query: unknown) => {
    queries.push(query);
    return Promise.resolve({ hashes: Buffer.alloc(32, 7).toString('base64') });
  },
} as unknown as Bus);
const reply = {
  type: (type: string) => ((headers['content-type'] = type), reply),
  headers: (all: Record<string, string>) => (Object.assign(headers, all), reply),
} as unknown as FastifyReply;
const requestContext = newRequestContext({ headers: {}, ip: '192.0.2.1' });
requestContext.claims = { org: 'acme', client_id: 'app_1', client_name: 'shop' } as AccessTokenClaims;
const request = { method: 'GET', headers: {}, routeOptions: { url: '/' }, requestContext } as unknown as FastifyRequest;

const full = (level: string, tile: string) =>
  controller.full({ params: { shortId: 'acme', level, tile } } as never, request, reply);

beforeEach(() => {
  [queries, headers] = [[], {}];
});

describe('AuditTilesController', () => {
  it('reads the tile of each form of path', async () => {
    const params = { shortId: 'acme', level: '0' };
    await full('0', '007');
    await controller.part({ params: { ...params, tile: '007.p', part: '17' } } as never, request, reply);
    await controller.part({ params: { ...params, tile: 'x001', part: '234' } } as never, request, reply);
    await controller.furtherPart(
      { params: { ...params, tile: 'x001', part: '234.p', width: '17' } } as never,
      request,
      reply,
    );
    expect(queries).toEqual([
      { level: 0, index: 7, width: 256 },
      { level: 0, index: 7, width: 17 },
      { level: 0, index: 1234, width: 256 },
      { level: 0, index: 1234, width: 17 },
    ]);
  });

  it('returns the bytes, cacheable by the client for its own token only', async () => {
    expect(await full('0', '000')).toEqual(Buffer.alloc(32, 7));
    expect(headers).toEqual({
      'content-type': 'application/octet-stream',
      'cache-control': 'private, max-age=31536000, immutable',
      vary: 'Authorization',
    });
  });

  it.each([
    ['6', '000'],
    ['-1', '000'],
    ['0', '7'],
    ['0', '../000'],
    ['x', '000'],
  ])('answers 400 to the level %s and the tile %s', async (level, tile) => {
    await expect(full(level, tile)).rejects.toMatchObject({
      status: 400,
      errors: [expect.objectContaining({ parameter: 'tile' })],
    });
    expect(queries).toEqual([]);
  });
});

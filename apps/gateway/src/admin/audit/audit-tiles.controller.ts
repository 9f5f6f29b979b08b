import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { auditTile, shortId } from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { FormatError, parseTilePath, type Tile } from '@holdfast/tlog';
import { recordWithTargets } from '../../edge/recording.js';
import { contextOf } from '../../edge/request-context.js';
import { Route } from '../../endpoints/route.js';
import { Input, invalidRequest } from '../../requests/input.js';

const path = '/o/{shortId}/api/admin/audit/tile/{level}/{tile}' as const;
/** Levels 0 to 5 cover 2^48 events. */
const highestLevel = 5;
const segment = z.string().max(7);
const example = (value: string) => ({ examples: [value] });
const level = segment
  .describe(`0 for the hashes of events; level n has the hashes of subtrees of 256^n events; ${highestLevel} at most`)
  .meta(example('0'));

/** c2sp.org/tlog-tiles, with this API's `audit` as prefix. Such a path has two, three or four segments. */
const tileEndpoint = <Params extends z.ZodType>(id: string, path: string, which: string, params: Params) =>
  endpoint({
    id,
    method: 'GET',
    path,
    tag: 'Admin API: audit',
    summary: `Get a tile of the tree: ${which}`,
    description:
      'Up to 256 adjacent hashes of one level (c2sp.org/tlog-tiles), to be read with a checkpoint. A tile never ' +
      'changes.',
    operation: 'audit:read',
    action: 'audit.prove',
    params,
    responses: { 200: { description: 'The hashes, 32 bytes each', media: ['application/octet-stream'] } },
    errors: ['unknown_tile'],
  });

const getAuditTileEndpoint = tileEndpoint(
  'getAuditTile',
  path,
  'a full one',
  z.strictObject({ shortId, level, tile: segment.describe('Its number in three digits: `007`').meta(example('007')) }),
);
const getAuditTilePartEndpoint = tileEndpoint(
  'getAuditTilePart',
  `${path}/{part}`,
  'a partial one, or from number 1000',
  z.strictObject({
    shortId,
    level,
    tile: segment
      .describe('Of a partial tile its number and `.p`: `007.p`; of tile 1234 the first digits: `x001`')
      .meta(example('007.p')),
    part: segment
      .describe('Of a partial tile how many hashes: `17`; of tile 1234 the last digits: `234`')
      .meta(example('17')),
  }),
);
const getAuditTileFurtherPartEndpoint = tileEndpoint(
  'getAuditTileFurtherPart',
  `${path}/{part}/{width}`,
  'a partial one from number 1000',
  z.strictObject({
    shortId,
    level,
    tile: segment.describe('First digits of its number: `x001`').meta(example('x001')),
    part: segment.describe('Last digits and `.p`: `234.p`').meta(example('234.p')),
    width: segment.describe('How many hashes: `17`').meta(example('17')),
  }),
);

@Controller()
export class AuditTilesController {
  constructor(private readonly bus: Bus) {}

  @Route(getAuditTileEndpoint)
  full(
    @Input() { params: p }: InputOf<typeof getAuditTileEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.readTile([p.level, p.tile], request, reply);
  }

  @Route(getAuditTilePartEndpoint)
  part(
    @Input() { params: p }: InputOf<typeof getAuditTilePartEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.readTile([p.level, p.tile, p.part], request, reply);
  }

  @Route(getAuditTileFurtherPartEndpoint)
  furtherPart(
    @Input() { params: p }: InputOf<typeof getAuditTileFurtherPartEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.readTile([p.level, p.tile, p.part, p.width], request, reply);
  }

  private async readTile(segments: string[], request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
    recordWithTargets(request, []);
    const { hashes } = await this.bus.request(auditTile, tileAt(segments), contextOf(request));
    // A tile never changes and belongs to one organization: clients may cache it, shared caches must not, and no cache
    // may return it to a request with another token.
    void reply
      .type('application/octet-stream')
      .headers({ 'cache-control': 'private, max-age=31536000, immutable', vary: 'Authorization' });
    return Buffer.from(hashes, 'base64');
  }
}

function tileAt(segments: string[]): Tile {
  try {
    const tile = parseTilePath(segments.join('/'));
    if (tile.level > highestLevel) throw new FormatError(`The level of a tile is ${highestLevel} at most`);
    return tile;
  } catch (error) {
    if (error instanceof FormatError) throw invalidRequest([{ parameter: 'tile', detail: error.message }]);
    throw error;
  }
}

import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { moveOrganization, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import type { Sql } from '@holdfast/data';
import { Handles, Shards } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { releaseEvents } from '../shards/lanes.js';
import { requireShard } from '../shards/require-shard.js';
import type { OrganizationEntity } from './organization.entity.js';
import { Organizations, type OrganizationChange } from './organizations.js';

type Reply = ReplyOf<typeof moveOrganization>;

/** The steps of a move of an organization to another shard that directory decides (apps/cli: organization-move). */
@Controller()
export class MoveOrganizationHandler {
  constructor(
    private readonly organizations: Organizations,
    private readonly shards: Shards,
  ) {}

  @Handles(moveOrganization)
  async handle(request: RequestOf<typeof moveOrganization>, context: RequestContext): Promise<Reply> {
    const id = request.step === 'begin' ? randomUUID() : request.id;
    let move = id;
    const { shard } = await this.organizations.change(context.org, context, async (organization, sql) => {
      if (request.step === 'begin') {
        const change = begin(organization, request.to, this.shards, id);
        move = organization.moveId ?? id;
        return change;
      }
      if (organization.moveId !== request.id)
        throw new AppError('conflict', `This move of ${context.org} has ended, or was never begun.`);
      return request.step === 'finish' ? finish(organization, sql) : cancel(organization, sql);
    });
    return { shard, id: move };
  }
}

function begin(organization: OrganizationEntity, to: string, shards: Shards, id: string): OrganizationChange {
  const { shortId, shard, moveTo, deleting } = organization;
  if (deleting) throw new AppError('conflict', `${shortId} is being deleted.`);
  requireShard(shards, to);
  if (to === shard) throw new AppError('conflict', `${shortId} is on the shard ${shard} already.`);
  if (moveTo !== null && moveTo !== to)
    throw new AppError('conflict', `${shortId} is being moved to ${moveTo}. Complete or cancel that move first.`);
  organization.moveTo = to;
  organization.moveId ??= id;
  return { action: 'organization.move_begin', changes: { shard: { from: shard, to } } };
}

async function finish(organization: OrganizationEntity, sql: Sql): Promise<OrganizationChange> {
  const { shortId, shard: from, moveTo } = organization;
  organization.shard = moveTo!;
  return end(organization, sql, { action: 'organization.move', changes: { shard: { from, to: moveTo! } } }, shortId);
}

async function cancel(organization: OrganizationEntity, sql: Sql): Promise<OrganizationChange> {
  const { shortId, shard, moveTo } = organization;
  const changes = { shard: { from: moveTo!, to: shard } };
  return end(organization, sql, { action: 'organization.move_cancel', changes }, shortId);
}

async function end(
  organization: OrganizationEntity,
  sql: Sql,
  change: OrganizationChange,
  shortId: string,
): Promise<OrganizationChange> {
  organization.moveId = null;
  organization.moveTo = null;
  await releaseEvents(sql, shortId, organization.shard);
  return change;
}

import { Controller } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { organizationMove, type ReplyOf, type RequestContext } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { undeliveredEvents } from '../shards/lanes.js';
import { OrganizationEntity } from './organization.entity.js';
import { unknownOrganization } from './organizations.js';

@Controller()
export class OrganizationMoveHandler {
  constructor(
    private readonly database: Database,
    @InjectRepository(OrganizationEntity) private readonly organizations: Repository<OrganizationEntity>,
  ) {}

  @Handles(organizationMove)
  async handle(_: unknown, { org }: RequestContext): Promise<ReplyOf<typeof organizationMove>> {
    const organization = await this.organizations.findOneBy({ shortId: org });
    if (!organization) throw unknownOrganization(org);
    const { shard, moveId, moveTo } = organization;
    return {
      shard,
      ...(moveId !== null && moveTo !== null && { move: { id: moveId, to: moveTo } }),
      undelivered: await undeliveredEvents(this.database, org, shard),
    };
  }
}

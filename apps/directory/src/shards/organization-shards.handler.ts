import { Controller } from '@nestjs/common';
import { organizationShards, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { shardsOf } from './shards-of.js';

@Controller()
export class OrganizationShardsHandler {
  constructor(private readonly database: Database) {}

  @Handles(organizationShards)
  async handle({ shortIds }: RequestOf<typeof organizationShards>): Promise<ReplyOf<typeof organizationShards>> {
    const found = await shardsOf(this.database, shortIds);
    return { organizations: [...found].map(([shortId, shard]) => ({ shortId, shard })) };
  }
}

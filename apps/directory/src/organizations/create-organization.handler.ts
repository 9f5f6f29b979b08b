import { Controller, Inject } from '@nestjs/common';
import {
  createOrganization,
  mainShard,
  type Organization,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles, Shards } from '@holdfast/messaging';
import { Outbound } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { requireShard } from '../shards/require-shard.js';
import { Organizations } from './organizations.js';
import { requireUsableRpId } from './usable-rp-id.js';

@Controller()
export class CreateOrganizationHandler {
  constructor(
    private readonly organizations: Organizations,
    private readonly outbound: Outbound,
    private readonly shards: Shards,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Handles(createOrganization)
  async handle(
    { shortId, name, rpId, shard = mainShard }: RequestOf<typeof createOrganization>,
    context: RequestContext,
  ): Promise<Organization> {
    if (rpId !== undefined) await requireUsableRpId(rpId, this.config.BASE_URL, this.outbound);
    requireShard(this.shards, shard);
    return this.organizations.create(
      context,
      { shortId, name, rpId: rpId ?? null, shard },
      { name: { to: name }, ...(rpId !== undefined && { rpId: { to: rpId } }) },
    );
  }
}

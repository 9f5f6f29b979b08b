import { Controller } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import { adminListKeys, listKeys, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Bus, Handles } from '@holdfast/messaging';
import { Organizations } from '../organizations/organizations.js';
import { issuerOf, platform, SigningKeys } from './signing-keys.js';

@Controller()
export class ListKeysHandler {
  constructor(
    private readonly organizations: Organizations,
    private readonly keys: SigningKeys,
    private readonly bus: Bus,
  ) {}

  @Handles(listKeys)
  async handle({ shortId }: RequestOf<typeof listKeys>, context: RequestContext): Promise<ReplyOf<typeof listKeys>> {
    // The platform's keys belong to no organization, so no log records that they are read.
    if (shortId === undefined) return { keys: (await this.keys.load(platform)).listed };
    await this.organizations.require(shortId);
    await recordReadOfOperator(this.bus, { ...context, org: shortId }, 'key.list');
    return { keys: (await this.keys.load(issuerOf(shortId))).listed };
  }

  /** GET …/admin/keys: those of the caller's organization. */
  @Handles(adminListKeys)
  async listOwn(_: RequestOf<typeof adminListKeys>, { org }: RequestContext): Promise<ReplyOf<typeof adminListKeys>> {
    return { keys: (await this.keys.load(issuerOf(org))).listed };
  }
}

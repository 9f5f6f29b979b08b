import { Controller, Inject, Logger } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import {
  adminRotateKeys,
  rotateKeys,
  type IssuerKey,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { auditRecord, CLOCK, type Clock } from '@holdfast/platform';
import { Organizations } from '../organizations/organizations.js';
import { issuerOf, platform, SigningKeys } from './signing-keys.js';

@Controller()
export class RotateKeysHandler {
  private readonly logger = new Logger('keys');

  constructor(
    private readonly organizations: Organizations,
    private readonly keys: SigningKeys,
    private readonly records: RecordOutbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Succeeds while audit is unavailable, so that a leaked key can be retired: the record commits with the new keys. */
  @Handles(rotateKeys)
  async handle(
    { shortId, overlapSeconds, retire }: RequestOf<typeof rotateKeys>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof rotateKeys>> {
    if (shortId === undefined) {
      const rotation = { overlapMs: overlapSeconds * 1000, retireOld: retire };
      this.logger.log(`${context.actor.id} rotates the keys of the platform (${retire ? 'retire' : overlapSeconds})`);
      return { keys: (await this.keys.rotate(platform, rotation, () => Promise.resolve())).listed };
    }
    await this.organizations.require(shortId);
    return this.rotate(shortId, { overlapSeconds, retire, oneAtATime: false }, context);
  }

  /** POST …/admin/keys/rotation: of the caller's organization. */
  @Handles(adminRotateKeys)
  rotateOwn(
    { overlapSeconds }: RequestOf<typeof adminRotateKeys>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof adminRotateKeys>> {
    return this.rotate(context.org, { overlapSeconds, retire: false, oneAtATime: true }, context);
  }

  private async rotate(
    shortId: string,
    { overlapSeconds, retire, oneAtATime }: { overlapSeconds: number; retire: boolean; oneAtATime: boolean },
    context: RequestContext,
  ): Promise<{ keys: IssuerKey[] }> {
    const rotation = { overlapMs: overlapSeconds * 1000, retireOld: retire, oneAtATime };
    const record = auditRecord(context, this.clock.now(), {
      action: 'key.rotate',
      targets: [{ type: 'organization', id: shortId }],
      outcome: { result: 'success' },
      changes: { overlapSeconds: { to: retire ? 0 : overlapSeconds }, retire: { to: retire } },
    });
    const { listed } = await this.keys.rotate(issuerOf(shortId), rotation, (sql) =>
      this.records.add(sql, shortId, record),
    );
    await this.records.append(shortId, record);
    return { keys: listed };
  }
}

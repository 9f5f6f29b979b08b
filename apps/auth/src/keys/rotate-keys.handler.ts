import { AuditWriter, Handles } from '@holdfast/bus';
import { rotateKeys, type CallContext, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { auditRecord, CLOCK, type Clock } from '@holdfast/kit';
import { Controller, Inject } from '@nestjs/common';
import { Organizations } from '../issuer/organizations.js';
import { issuerOf, SigningKeys } from './signing-keys.js';

@Controller()
export class RotateKeysHandler {
  constructor(
    private readonly organizations: Organizations,
    private readonly keys: SigningKeys,
    private readonly audit: AuditWriter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The record has its place before the change commits: a key that nobody is told of never signs. */
  @Handles(rotateKeys)
  async handle({ shortId, overlapSeconds, retire }: RequestOf<typeof rotateKeys>, context: CallContext): Promise<ReplyOf<typeof rotateKeys>> {
    await this.organizations.require(shortId);
    const record = auditRecord(context, this.clock.now(), {
      action: 'key.rotate',
      targets: [{ type: 'organization', id: shortId }],
      outcome: { result: 'success' },
      changes: { overlapSeconds: { to: retire ? 0 : overlapSeconds }, retire: { to: retire } },
    });
    const { listed } = await this.keys.rotate(issuerOf(shortId), { overlap: overlapSeconds * 1000, retireOld: retire }, () => this.audit.append(shortId, record));
    return { keys: listed };
  }
}

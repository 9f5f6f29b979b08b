import { Injectable } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import type { AuditTarget, OperatorRead, RequestContext } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { LogEnds } from '../audit-destinations/delivery/log-ends.js';

/** Requests of the operator, who can mistype the organization: that must start neither a feed nor a log. */
@Injectable()
export class OperatorRequests {
  constructor(
    private readonly bus: Bus,
    private readonly ends: LogEnds,
  ) {}

  /** @throws unknown_organization, unavailable */
  async check({ actor, org }: RequestContext): Promise<void> {
    if (actor.type === 'operator' && (await this.ends.read(org)).length === 0)
      throw new AppError('unknown_organization', `There is no organization "${org}".`);
  }

  /** Appends the record of a read, which the gateway does for everybody else. @throws as check() */
  async recordRead(context: RequestContext, action: OperatorRead, targets: AuditTarget[] = []): Promise<void> {
    await this.check(context);
    await recordReadOfOperator(this.bus, context, action, targets);
  }
}

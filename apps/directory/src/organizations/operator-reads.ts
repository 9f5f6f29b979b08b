import { Injectable } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import type { AuditTarget, OperatorRead, RequestContext } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { Organizations } from './organizations.js';

/** Reads that the gateway and the operator share. */
@Injectable()
export class OperatorReads {
  constructor(
    private readonly organizations: Organizations,
    private readonly bus: Bus,
  ) {}

  /**
   * The operator may mistype an organization, and its reads do not pass the gateway, which records those of everybody
   * else. @throws unknown_organization, unavailable
   */
  async record(context: RequestContext, action: OperatorRead, targets: AuditTarget[] = []): Promise<void> {
    await this.requireOrganization(context);
    await recordReadOfOperator(this.bus, context, action, targets);
  }

  /** @throws unknown_organization. That of a token exists. */
  async requireOrganization({ actor, org }: RequestContext): Promise<void> {
    if (actor.type === 'operator') await this.organizations.requireExists(org);
  }
}

import type { FactoryProvider } from '@nestjs/common';
import { allOrganizations } from '@holdfast/contracts';
import { Outbound, type Logger } from '@holdfast/platform';
import { CONFIG, LOGGER } from '@holdfast/service';
import type { SignalsConfig } from '../config.js';

/** The client of each destination: only those of the operator may call what AUDIT_DESTINATIONS_ALLOW lists. */
export class Outbounds {
  constructor(
    private readonly ofOrganizations: Outbound,
    private readonly ofOperator: Outbound,
  ) {}

  of({ org }: { org: string }): Outbound {
    return org === allOrganizations ? this.ofOperator : this.ofOrganizations;
  }

  /** Ends running requests. */
  async close(): Promise<void> {
    await Promise.all([this.ofOrganizations.close(), this.ofOperator.close()]);
  }
}

export const outboundsProvider: FactoryProvider<Outbounds> = {
  provide: Outbounds,
  inject: [CONFIG, LOGGER],
  useFactory: (
    { OUTBOUND_ALLOW: allow, OUTBOUND_PORTS: ports, AUDIT_DESTINATIONS_ALLOW: more }: SignalsConfig,
    logger: Logger,
  ) =>
    new Outbounds(new Outbound({ allow, ports }, logger), new Outbound({ allow: [...allow, ...more], ports }, logger)),
};

import type { FactoryProvider } from '@nestjs/common';
import { allOrganizations } from '@holdfast/contracts';
import { Outbound, outboundRules, type Logger } from '@holdfast/platform';
import { CONFIG, LOGGER } from '@holdfast/service';
import type { SignalsConfig } from '../config.js';

/** The client of each destination: only those of the operator may call what AUDIT_DESTINATIONS_ALLOW lists. */
export class Outbounds {
  constructor(
    readonly ofOrganizations: Outbound,
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
  useFactory: (config: SignalsConfig, logger: Logger) => {
    const rules = outboundRules(config);
    const allow = [...rules.allow, ...config.AUDIT_DESTINATIONS_ALLOW];
    return new Outbounds(new Outbound(rules, logger), new Outbound({ ...rules, allow }, logger));
  },
};

import type { FactoryProvider } from '@nestjs/common';
import { Outbound, outboundRules, type Logger, type OutboundConfig } from '@holdfast/platform';
import { CONFIG, LOGGER } from './lifecycle.js';

/**
 * The outbound client of a service whose configuration includes `outboundConfigSchema`. It logs its exceptions at
 * start.
 */
export const outboundProvider: FactoryProvider<Outbound> = {
  provide: Outbound,
  inject: [CONFIG, LOGGER],
  useFactory: (config: OutboundConfig, logger: Logger) => new Outbound(outboundRules(config), logger),
};

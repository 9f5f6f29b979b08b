import type { FactoryProvider } from '@nestjs/common';
import { Outbound, type Logger, type OutboundConfig } from '@holdfast/platform';
import { CONFIG, LOGGER } from './lifecycle.js';

/**
 * The outbound client of a service whose configuration includes `outboundConfigSchema`. It logs its exceptions at
 * start.
 */
export const outboundProvider: FactoryProvider<Outbound> = {
  provide: Outbound,
  inject: [CONFIG, LOGGER],
  useFactory: ({ OUTBOUND_ALLOW: allow, OUTBOUND_PORTS: ports }: OutboundConfig, logger: Logger) =>
    new Outbound({ allow, ports }, logger),
};

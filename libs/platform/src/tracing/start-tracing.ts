import type { ServiceName } from '@holdfast/contracts';
import type { Logger } from '../logging/logger.js';
import { wantsTraces, type TracingConfig } from './config.js';

/**
 * Starts exporting traces when the variables of OpenTelemetry say so; otherwise its SDK is not even loaded.
 * @returns a function that exports what is left and stops
 */
export async function startTracing(
  service: ServiceName,
  config: Partial<TracingConfig> & { HOLDFAST_REPLICA: string },
  logger: Logger,
): Promise<() => Promise<void>> {
  if (!wantsTraces(config)) return async () => undefined;
  const { startSdk } = await import('./sdk.js');
  return startSdk(service, config, logger);
}

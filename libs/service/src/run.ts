import { Logger } from '@nestjs/common';
import type { z } from 'zod';
import {
  createLogger,
  databaseTlsFiles,
  loadConfig,
  shiftTime,
  startTracing,
  type BaseConfig,
  type DatabaseConfig,
} from '@holdfast/platform';
import { handOverMarginMs } from './hand-over.js';
import { unhandledRejections } from './metrics.js';
import { reportableSettings } from './reportable-settings.js';
import { startService, type ServiceOptions } from './start-service.js';

const logger = new Logger('unhandled rejection');
const stopTimeoutMs = 20_000;

/** Connection options of a service's database from its configuration. */
export function databaseOptions(
  config: DatabaseConfig & { DATABASE_READ_URL?: string | undefined },
): NonNullable<ServiceOptions<BaseConfig>['database']> {
  return {
    url: config.DATABASE_URL,
    readUrl: config.DATABASE_READ_URL,
    passwordFile: config.DATABASE_PASSWORD_FILE,
    ...databaseTlsFiles(config),
    pool: config.DATABASE_POOL,
  };
}

/**
 * main() of a service: reads its configuration, starts it, and stops it on SIGTERM, on SIGINT, or when its parent
 * process ends (HOLDFAST_EXIT_WITH_PARENT). An error at start is one line and exit code 1.
 */
export async function runService<Schema extends z.ZodType<BaseConfig>>(
  schema: Schema,
  options: (config: z.output<Schema>) => Omit<ServiceOptions<z.output<Schema>>, 'config'>,
): Promise<void> {
  try {
    const config = loadConfig(schema);
    if (config.HOLDFAST_TEST_CLOCK !== undefined) shiftTime(config.HOLDFAST_TEST_CLOCK);
    const chosen = options(config);
    const lines = chosen.logger ?? createLogger(chosen.service, config.LOG_LEVEL, config.HOLDFAST_REPLICA);
    const stopTracing = await startTracing(chosen.service, config, lines);
    const settings = reportableSettings(schema, config);
    const running = await startService({ ...chosen, logger: lines, config, settings });
    // A background task has failed. The process keeps running, so that requests in progress are completed.
    process.on('unhandledRejection', (error) => {
      unhandledRejections.inc();
      logger.error(error instanceof Error ? error : new Error(String(error)));
    });
    const stop = (): void => {
      // A step that hangs must not keep the process running until the orchestrator kills it.
      const { SUCCESSOR_SECONDS: seconds = 0 } = config;
      const handOverMs = seconds > 0 ? seconds * 1000 + handOverMarginMs : 0;
      setTimeout(() => process.exit(1), handOverMs + stopTimeoutMs).unref();
      void running
        .stop()
        .then(stopTracing)
        .then(
          () => process.exit(0),
          () => process.exit(1),
        );
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    if (config.HOLDFAST_EXIT_WITH_PARENT) process.stdin.on('end', stop).on('error', stop).resume();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

import { runService } from '@holdfast/bus';
import { IssuanceModule } from './app.module.js';
import { configSchema } from './config.js';

await runService(configSchema, (config) => ({
  service: 'issuance',
  module: IssuanceModule,
  database: { url: config.DATABASE_URL, pool: config.DATABASE_POOL },
}));

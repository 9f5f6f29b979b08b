import { databaseOptions, runService } from '@holdfast/service';
import { AuditModule } from './app.module.js';
import { configSchema } from './config.js';

await runService(configSchema, (config) => ({
  service: 'audit',
  module: AuditModule,
  database: databaseOptions(config),
}));

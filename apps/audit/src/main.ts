import { databaseOptions, runService } from '@holdfast/service';
import { AuditModule } from './app.module.js';
import { configSchema } from './config.js';
import { connectionsOf } from './connections.js';

await runService(configSchema, (config) => {
  const { reserved, fairAdmission } = connectionsOf(config.DATABASE_POOL);
  return { service: 'audit', module: AuditModule, database: { ...databaseOptions(config), reserved }, fairAdmission };
});

import { runService } from '@holdfast/service';
import { AuditModule } from './app.module.js';
import { configSchema } from './config.js';

await runService(configSchema, (config) => ({
  service: 'audit',
  module: AuditModule,
  database: { url: config.DATABASE_URL, passwordFile: config.DATABASE_PASSWORD_FILE, pool: config.DATABASE_POOL },
}));

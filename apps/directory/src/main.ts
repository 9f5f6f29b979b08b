import { runService } from '@holdfast/bus';
import { configSchema } from './config.js';
import { DirectoryModule } from './app.module.js';

await runService(configSchema, (config) => ({
  service: 'directory',
  module: DirectoryModule,
  database: { url: config.DATABASE_URL, passwordFile: config.DATABASE_PASSWORD_FILE, pool: config.DATABASE_POOL },
}));

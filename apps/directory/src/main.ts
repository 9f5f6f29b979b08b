import { runService } from '@holdfast/service';
import { DirectoryModule } from './app.module.js';
import { configSchema } from './config.js';
import { entities } from './entities.js';

await runService(configSchema, (config) => ({
  service: 'directory',
  module: DirectoryModule,
  database: {
    url: config.DATABASE_URL,
    passwordFile: config.DATABASE_PASSWORD_FILE,
    pool: config.DATABASE_POOL,
    entities,
  },
}));

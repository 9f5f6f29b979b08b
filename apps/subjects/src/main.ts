import { runService } from '@holdfast/service';
import { SubjectsModule } from './app.module.js';
import { configSchema } from './config.js';

await runService(configSchema, (config) => ({
  service: 'subjects',
  module: SubjectsModule,
  database: { url: config.DATABASE_URL, passwordFile: config.DATABASE_PASSWORD_FILE, pool: config.DATABASE_POOL },
}));

import { runService } from '@holdfast/service';
import { SignalsModule } from './app.module.js';
import { configSchema } from './config.js';

await runService(configSchema, (config) => ({
  service: 'signals',
  module: SignalsModule,
  database: { url: config.DATABASE_URL, passwordFile: config.DATABASE_PASSWORD_FILE, pool: config.DATABASE_POOL },
}));

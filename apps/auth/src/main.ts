import { runService } from '@holdfast/service';
import { AuthModule } from './app.module.js';
import { configSchema } from './config.js';
import { createHttpApp } from './http/http-app.js';

await runService(configSchema, (config) => ({
  service: 'auth',
  module: AuthModule,
  database: { url: config.DATABASE_URL, passwordFile: config.DATABASE_PASSWORD_FILE, pool: config.DATABASE_POOL },
  createApp: createHttpApp(config),
}));

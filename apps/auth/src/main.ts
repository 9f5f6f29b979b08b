import { databaseOptions, runService } from '@holdfast/service';
import { AuthModule } from './app.module.js';
import { configSchema } from './config.js';
import { createHttpApp } from './http/http-app.js';

await runService(configSchema, (config) => ({
  service: 'auth',
  module: AuthModule,
  database: databaseOptions(config),
  createApp: createHttpApp(config),
}));

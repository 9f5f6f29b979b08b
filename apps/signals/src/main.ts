import { databaseOptions, runService } from '@holdfast/service';
import { SignalsModule } from './app.module.js';
import { configSchema } from './config.js';

await runService(configSchema, (config) => ({
  service: 'signals',
  module: SignalsModule,
  database: databaseOptions(config),
}));

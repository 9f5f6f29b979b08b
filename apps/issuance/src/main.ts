import { databaseOptions, runService } from '@holdfast/service';
import { IssuanceModule } from './app.module.js';
import { configSchema } from './config.js';
import { entities } from './entities.js';

await runService(configSchema, (config) => ({
  service: 'issuance',
  module: IssuanceModule,
  database: {
    ...databaseOptions(config),
    entities,
  },
}));

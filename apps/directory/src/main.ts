import { databaseOptions, runService } from '@holdfast/service';
import { DirectoryModule } from './app.module.js';
import { configSchema } from './config.js';
import { entities } from './entities.js';

await runService(configSchema, (config) => ({
  service: 'directory',
  module: DirectoryModule,
  database: {
    ...databaseOptions(config),
    entities,
  },
}));

import { databaseOptions, runService } from '@holdfast/service';
import { DirectoryModule } from './app.module.js';
import { configSchema } from './config.js';
import { entities } from './entities.js';
import { shardsOf } from './shards/shards-of.js';

await runService(configSchema, (config) => ({
  service: 'directory',
  module: DirectoryModule,
  lookUpShards: (database) => (shortIds) => shardsOf(database, shortIds),
  database: {
    ...databaseOptions(config),
    entities,
  },
}));

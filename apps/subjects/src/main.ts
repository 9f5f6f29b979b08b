import { databaseOptions, runService } from '@holdfast/service';
import { SubjectsModule } from './app.module.js';
import { configSchema } from './config.js';

await runService(configSchema, (config) => ({
  service: 'subjects',
  module: SubjectsModule,
  database: databaseOptions(config),
}));

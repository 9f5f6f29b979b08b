import { runService } from '@holdfast/service';
import { GatewayModule } from './app.module.js';
import { configSchema } from './config.js';
import { createHttpApp } from './http.js';

await runService(configSchema, (config) => ({
  service: 'gateway',
  module: GatewayModule,
  outgoing: { max: config.BUS_MAX_REQUESTS, maxPerService: config.BUS_MAX_REQUESTS_PER_SERVICE },
  createApp: createHttpApp(config),
}));

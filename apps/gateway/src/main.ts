import { runService } from '@holdfast/bus';
import { GatewayModule } from './app.module.js';
import { configSchema } from './config.js';
import { createHttpApp } from './http.js';

await runService(configSchema, (config) => ({ service: 'gateway', module: GatewayModule, createApp: createHttpApp(config) }));

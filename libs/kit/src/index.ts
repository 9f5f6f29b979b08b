export * from './app-error.js';
export * from './clock.js';
export * from './config.js';
export * from './crypto.js';
export * from './ids.js';
export * from './logger.js';
export * from './nest-logger.js';
export * from './zod-faults.js';

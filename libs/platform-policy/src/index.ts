export * from './connection-limit.js';
export * from './nats-config.js';
export * from './database-setup.js';
export * from './secrets.js';

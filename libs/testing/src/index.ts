export * from './environment.js';
export * from './eventually.js';
export * from './fake-clock.js';
export * from './free-port.js';
export * from './test-bus.js';
export * from './test-config.js';
export * from './test-context.js';
export * from './test-database.js';

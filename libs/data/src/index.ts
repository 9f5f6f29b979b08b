export * from './database.js';
export * from './key-use.js';
export * from './lazy-database.js';
export * from './migrate.js';
export * from './named-lock.js';
export * from './no-statistics.js';
export * from './pg-errors.js';
export * from './read-database.js';

export * from './database.js';
export * from './migrate.js';
export * from './named-lock.js';
export * from './no-statistics.js';
export * from './pg-errors.js';

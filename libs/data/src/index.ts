export * from './database.js';
export * from './migrate.js';
export * from './pg-errors.js';

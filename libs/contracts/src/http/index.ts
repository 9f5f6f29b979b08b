export * from './endpoint.js';
export * from './forwarded.js';
export * from './paging.js';
export * from './endpoints.js';

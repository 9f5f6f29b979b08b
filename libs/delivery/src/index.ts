export * from './back-off.js';
export * from './due-deliveries.js';

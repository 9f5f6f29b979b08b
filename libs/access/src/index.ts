export * from './revocation-feed.js';
export * from './introspection-fallback.js';
export * from './revocation-rule.js';
export * from './rate-limit-exchange.js';
export * from './shared-rate-limits.js';
export * from './maker-rights.js';
export * from './lost-rights.js';

export * from './revocation-feed.js';
export * from './introspection-fallback.js';
export * from './revocation-rule.js';

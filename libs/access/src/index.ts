export * from './access-feed.js';
export * from './introspection-fallback.js';
export * from './access-rule.js';

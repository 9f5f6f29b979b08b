export * from './access-feed.js';
export * from './access-questions.js';
export * from './access-rule.js';

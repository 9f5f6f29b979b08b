export * from './audit-writer.js';
export * from './operator-reading.js';
export * from './refusal-id.js';
export * from './refusals.js';

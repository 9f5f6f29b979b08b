export * from './audit-writer.js';
export * from './operator-read.js';
export * from './denied-request-id.js';
export * from './denied-request-counter.js';
export * from './record-outbox.js';

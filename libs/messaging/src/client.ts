// For programs that only send requests, such as the CLI: without Nest, which takes longer to load than a command to
// run.
export * from './bus.js';
export * from './connection.js';
export * from './declare.js';
export * from './replicas.js';
export * from './shards/fenced-organizations.js';
export * from './shards/organization-shards.js';
export * from './shards/shards.js';
export * from './stream-states.js';

// For programs that only send requests, such as the CLI: without Nest, which takes longer to load than a command to
// run.
export * from './requests/bus.js';
export * from './connection/connection.js';
export * from './streams/declare.js';
export * from './replicas/replicas.js';
export * from './shards/fenced-organizations.js';
export * from './shards/organization-shards.js';
export * from './shards/shards.js';
export * from './streams/stream-states.js';

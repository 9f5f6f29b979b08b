// Who only asks, such as the command line: without the framework of the services, which takes longer to load than a
// command to run.
export * from './bus.js';
export * from './connection.js';
export * from './declare.js';
export * from './replicas.js';

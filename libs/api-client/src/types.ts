import type { components, operations } from './schema.js';

/** Schemas of the API by their names in the API reference. */
export type Schemas = components['schemas'];

/** What each operation takes and returns, by its `operationId`. */
export type Operations = operations;

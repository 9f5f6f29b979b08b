import type { RequestContext } from '@holdfast/contracts';
import type { Change } from '../changes/changes.js';

/** Rows that one transaction ends: its work and its events are limited, however much a deletion leaves. */
export const batchSize = 100;

/** What one transaction has ended. Empty when others were faster, such as the removal of a person. */
export type Batch = readonly { change: Change; context: RequestContext }[];

import { listEvents } from './signals.js';

/** Every contract that signals answers. */
export const signalsContracts = [listEvents] as const;

import { listEvents } from './signals.js';

/** Every contract that signals handles. */
export const signalsContracts = [listEvents] as const;

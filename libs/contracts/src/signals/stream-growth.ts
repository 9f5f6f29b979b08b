import { z } from 'zod';

/** Subject of signals' hints for receivers that wait for tokens: the streams of which organizations have grown. */
export const streamGrowthSubject = 'feed.signals.streams';

/** A hint without guarantee: who waits also looks from time to time. */
export const streamGrowthSchema = z.array(z.string().max(64)).max(500);

import { z } from 'zod';

/** Subject of audit's hints for those who follow logs, gateway and signals: which logs have grown. */
export const logGrowthSubject = 'feed.audit.logs';

/**
 * Organization and newest `seq` of each log that has grown. A hint without guarantee: who follows a log also reads it
 * from time to time.
 */
export const logGrowthSchema = z.array(z.tuple([z.string().max(64), z.int().min(1)])).max(500);
export type LogGrowth = z.infer<typeof logGrowthSchema>;

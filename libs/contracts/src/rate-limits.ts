import { z } from 'zod';
import { replicaId } from './events/streams.js';
import type { ServiceName } from './services.js';

/**
 * The replicas of a service that limits callers tell each other here, four times a second, that they run, and move
 * tokens of rate limits among them (docs/adr/0047-rate-limits-across-replicas.md). Nobody else sends or reads it.
 */
export function rateLimitSubject(service: ServiceName): string {
  return `limits.${service}`;
}

/** Longer keys stay within the share of their replica. No key that a verified caller has is as long. */
export const maxRateLimitKeyLength = 128;
export const maxTokenRequests = 1000;

/** More than this many replicas divide no quota: one that announces others could shrink the shares without limit. */
export const maxRateLimitReplicas = 64;

/** A bucket: its limit, such as `claim`, and whom it counts: an address, an app or a person. */
const bucket = { limit: z.string().min(1).max(32), key: z.string().min(1).max(maxRateLimitKeyLength) };
const tokens = z.number().min(0).max(1_000_000_000);

const tokenRequestSchema = z.looseObject({
  ...bucket,
  perMinute: z.int().min(1).max(1_000_000_000).describe('Quota of the bucket'),
  tokens: tokens.describe('What the sender has'),
});
export type TokenRequest = z.infer<typeof tokenRequestSchema>;

/**
 * Says that a replica runs and which of its buckets run short. `sent` counts the messages of the sender, which reads
 * its own: as long as they come back, another replica that is silent has ended. Loose, so that a newer version may add
 * members.
 */
export const rateLimitMessageSchema = z.looseObject({
  replica: replicaId,
  sent: z.int(),
  leaving: z.boolean().optional(),
  requests: z.array(tokenRequestSchema).max(maxTokenRequests),
});
export type RateLimitMessage = z.infer<typeof rateLimitMessageSchema>;

const tokenGrantSchema = z.looseObject({ ...bucket, tokens });
export type TokenGrant = z.infer<typeof tokenGrantSchema>;

/** Tokens of other buckets for the replica that requested them, sent to its own subject (addressedSubject). */
export const tokenGrantsSchema = z.array(tokenGrantSchema).max(maxTokenRequests);

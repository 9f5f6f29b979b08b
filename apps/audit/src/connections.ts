import type { FairAdmissionLimits } from '@holdfast/messaging';

/**
 * How the connections of a process are divided (`DATABASE_POOL`). Appends of records, for which every request waits,
 * have some that nothing else gets, so that they never wait behind reads. Reads that callers request leave two of the
 * others to what audit does by itself, and one organization leaves two of these to the reads of others.
 */
export function connectionsOf(pool: number): {
  reserved: number;
  fairAdmission: Pick<FairAdmissionLimits, 'max' | 'maxOfOrganization'>;
} {
  const reserved = Math.min(3, Math.floor(pool / 4));
  const max = Math.max(2, pool - reserved - 2);
  return { reserved, fairAdmission: { max, maxOfOrganization: Math.max(1, max - 2) } };
}

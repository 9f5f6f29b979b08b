import { statement } from '@holdfast/data';

/**
 * The lock that appending to the feed of an organization takes: no event comes to it meanwhile, and of several changes
 * at once each sees the others.
 */
export const lockFeed = statement(
  'head_lock_for_change',
  'INSERT INTO head (org, seq) VALUES ($1, 0) ON CONFLICT (org) DO UPDATE SET org = excluded.org RETURNING seq',
);

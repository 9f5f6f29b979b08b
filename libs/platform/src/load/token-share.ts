/**
 * The rules by which replicas divide the token bucket of a caller. Each has a bucket of its own with an equal share of
 * the quota, and one that runs short gets tokens from those that have more. Tokens move and are never copied: the giver
 * subtracts them before it sends them, so a lost message loses tokens and adds none
 * (docs/adr/0047-rate-limits-across-replicas.md).
 */
const windowSeconds = 60;

/** Fewer tokens are not worth a message. */
const minTokensToGive = 0.1;

/** What one replica's bucket holds at most: at least one request, or a small quota would admit none. */
export function capacityOf(perMinute: number, replicas: number): number {
  return Math.max(1, perMinute / replicas);
}

/** Tokens a second by which one replica's bucket fills. */
export function refillPerSecond(perMinute: number, replicas: number): number {
  return perMinute / windowSeconds / replicas;
}

/** Whether a replica requests tokens. Above half of its share it sends nothing, so most callers cost no message. */
export function needsTokens(tokens: number, perMinute: number, replicas: number): boolean {
  return replicas > 1 && tokens < capacityOf(perMinute, replicas) / 2;
}

/**
 * How many of `mine` tokens a replica gives to one that has `theirs`: half of the difference, so that neither has more
 * than the other afterwards, and no more than its part of what the requester's share lacks.
 */
export function tokensToGive(mine: number, theirs: number, perMinute: number, replicas: number): number {
  if (replicas < 2) return 0;
  const missing = (capacityOf(perMinute, replicas) - theirs) / (replicas - 1);
  const tokens = Math.min(missing, (mine - theirs) / 2);
  return tokens < minTokensToGive ? 0 : tokens;
}

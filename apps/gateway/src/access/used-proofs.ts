import { hash } from 'node:crypto';
import { unavailable } from '@holdfast/platform';

interface Generation {
  ids: Set<string>;
  countByApp: Map<string, number>;
}

const newGeneration = (): Generation => ({ ids: new Set(), countByApp: new Map() });

/** About seventy bytes each. One app cannot take the room of the others. */
const defaultLimits = { all: 500_000, perApp: 250_000 };

/**
 * The proofs that were used at this replica, for as long as they could be accepted again. Two generations replace each
 * other, so nothing has to be searched for and deleted. When there is no room a request is refused: a proof that would
 * be forgotten could be used again.
 */
export class UsedProofs {
  private current = newGeneration();
  private previous = newGeneration();
  private rotatedAtMs = -Infinity;

  constructor(
    private readonly lifetimeMs: number,
    private readonly limits = defaultLimits,
  ) {}

  /** False for a proof that was used before. @throws unavailable */
  add(app: string, thumbprint: string, jti: string, nowMs: number): boolean {
    this.rotate(nowMs);
    const id = hash('sha256', `${thumbprint} ${jti}`, 'base64').slice(0, 22);
    if (this.current.ids.has(id) || this.previous.ids.has(id)) return false;
    const count = this.current.countByApp.get(app) ?? 0;
    if (this.current.ids.size >= this.limits.all || count >= this.limits.perApp)
      throw unavailable('Too many DPoP proofs were used within minutes.', 1, {
        dependency: 'used DPoP proofs',
        cause: 'overloaded',
      });
    this.current.ids.add(id);
    this.current.countByApp.set(app, count + 1);
    return true;
  }

  private rotate(nowMs: number): void {
    const ageMs = nowMs - this.rotatedAtMs;
    if (ageMs < this.lifetimeMs) return;
    this.previous = ageMs < 2 * this.lifetimeMs ? this.current : newGeneration();
    this.current = newGeneration();
    this.rotatedAtMs = nowMs;
  }
}

import { LRUCache } from 'lru-cache';
import { checkPublicJwk, type CheckedJwk, type Outbound, type OutboundError } from '@holdfast/platform';

/** The keys at an address cannot be loaded, or none of them can be used. The message has no detail of the network. */
export class KeysUnavailable extends Error {}

interface KeySet {
  keys: CheckedJwk[];
  loadedAtMs: number;
  /** When the last load began, whether or not it succeeded. */
  triedAtMs: number;
  loading?: Promise<void> | undefined;
  waiting: number;
  problem: string;
}

const maxSets = 1000;
/** Older keys are used once more while they are loaded again, so that a short outage of the address is not noticed. */
const refreshAfterMs = 5 * 60_000;
/** Older keys are never used. */
const expiresAfterMs = 10 * 60_000;
/** An unknown key id may be that of a new key. Random ones must not cause a request each. */
const minIntervalMs = 10_000;
const timeoutMs = 3000;
const maxBytes = 65_536;
const maxKeys = 20;
/** Requests that wait for a slow address hold places that requests of other clients need. */
const maxWaiting = 4;
const maxLoading = 8;

/**
 * Public keys from addresses that apps registered, through the outbound client: https to public addresses only, bounded
 * in time and size. The addresses are never called more often than every ten seconds.
 */
export class RemoteKeys {
  private readonly sets = new LRUCache<string, KeySet>({ max: maxSets });
  private loading = 0;

  constructor(
    private readonly outbound: Pick<Outbound, 'request'>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** The keys at this address; loads them again when they are old or lack this id. @throws KeysUnavailable */
  async find(uri: string, kid: string | undefined): Promise<CheckedJwk[]> {
    let set = this.sets.get(uri);
    if (!set) {
      set = { keys: [], loadedAtMs: -Infinity, triedAtMs: -Infinity, waiting: 0, problem: 'not loaded yet' };
      this.sets.set(uri, set);
    }
    const ageMs = this.nowMs() - set.loadedAtMs;
    if (ageMs < expiresAfterMs && hasKey(set, kid)) {
      if (ageMs >= refreshAfterMs) void this.load(uri, set);
      return set.keys;
    }
    await this.wait(uri, set);
    if (this.nowMs() - set.loadedAtMs >= expiresAfterMs) throw new KeysUnavailable(set.problem);
    return set.keys;
  }

  private async wait(uri: string, set: KeySet): Promise<void> {
    const loading = this.load(uri, set);
    if (!loading || set.waiting >= maxWaiting) return;
    set.waiting += 1;
    await loading.finally(() => (set.waiting -= 1));
  }

  /** Undefined when it may not be loaded now. It never fails: `problem` says why there are no keys. */
  private load(uri: string, set: KeySet): Promise<void> | undefined {
    if (set.loading) return set.loading;
    if (this.loading >= maxLoading || this.nowMs() - set.triedAtMs < minIntervalMs) return undefined;
    set.triedAtMs = this.nowMs();
    this.loading += 1;
    set.loading = this.request(uri)
      .then(
        (keys) => Object.assign(set, { keys, loadedAtMs: this.nowMs() }),
        (error: Error) => (set.problem = error.message),
      )
      .then(() => {
        this.loading -= 1;
        set.loading = undefined;
      });
    return set.loading;
  }

  private async request(uri: string): Promise<CheckedJwk[]> {
    const headers = { accept: 'application/json, application/jwk-set+json' };
    const { body } = await this.outbound
      .request(uri, { method: 'GET', headers, timeoutMs, maxBytes })
      .catch((error: OutboundError) => Promise.reject(new KeysUnavailable(error.message)));
    const keys = usableKeys(body);
    if (keys.length === 0) throw new KeysUnavailable('it has no public key that can be used');
    return keys;
  }
}

function hasKey({ keys }: KeySet, kid: string | undefined): boolean {
  return keys.some(({ key }) => kid === undefined || key.kid === kid);
}

/** RFC 7517 §5: keys of unknown types and uses are ignored. So is one whose private part was published by mistake. */
function usableKeys(body: Buffer): CheckedJwk[] {
  let set: unknown;
  try {
    set = JSON.parse(body.toString('utf8'));
  } catch {
    throw new KeysUnavailable('it is not JSON');
  }
  const { keys } = (set ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new KeysUnavailable('it is not a JSON Web Key Set');
  return keys.slice(0, maxKeys).flatMap((key: unknown) => {
    if (typeof key !== 'object' || key === null) return [];
    const checked = checkPublicJwk(key as Record<string, unknown>);
    return 'issue' in checked ? [] : [checked];
  });
}

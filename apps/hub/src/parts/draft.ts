/** The parts of `Storage` that drafts need. */
type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** What somebody has typed into a form, for this tab: it outlives a reload and a sign-in. Never a secret. */
export interface Draft<Values extends object> {
  /** The stored values, with `initial` for those that are missing or have another type. */
  read: () => Values;
  store: (values: Values) => void;
  clear: () => void;
}

/** @param name of the form */
export function draftOf<Values extends object>(storage: DraftStorage, name: string, initial: Values): Draft<Values> {
  const key = `holdfast:draft:${name}`;
  const safely = <Result>(use: () => Result, otherwise: Result): Result => {
    try {
      return use();
    } catch {
      // A private window may deny storage: the form then works without drafts.
      return otherwise;
    }
  };
  return {
    read: () => safely(() => merged(initial, JSON.parse(storage.getItem(key) ?? '{}')), initial),
    store: (values) => safely(() => storage.setItem(key, JSON.stringify(values)), undefined),
    clear: () => safely(() => storage.removeItem(key), undefined),
  };
}

/** Another version of the hub may have stored the draft. */
function merged<Values extends object>(initial: Values, stored: unknown): Values {
  if (stored === null || typeof stored !== 'object') return initial;
  const values = stored as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(initial).map(([name, value]) => [name, isLike(values[name], value) ? values[name] : value]),
  ) as Values;
}

function isLike(stored: unknown, value: unknown): boolean {
  return Array.isArray(value)
    ? Array.isArray(stored) && stored.every((item) => typeof item === 'string')
    : typeof stored === typeof value && !Array.isArray(stored);
}

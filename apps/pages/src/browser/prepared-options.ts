/** A response with the options of a ceremony, and how long its challenge is valid. */
export interface WithOptions {
  options: { timeout?: number };
}

/** A challenge is replaced after this part of its timeout, so that a late choice still has a valid one. */
const refreshAfter = 0.8;
/** Used when the server sends no timeout. */
const defaultTimeoutMs = 60_000;

export interface PreparedOptionsDependencies<Response> {
  request: () => Promise<Response>;
  after: (delayMs: number, callback: () => void) => void;
  /** The options are about to expire and have been discarded. */
  onExpired?: () => void;
}

/**
 * The options of the next ceremony, requested before the customer clicks. Browsers open the dialogue only shortly after
 * a click (WebAuthn Level 3 §13.4.7 and the user activation of HTML §6.4.1), and a slow network would use that time up.
 */
export class PreparedOptions<Response extends WithOptions> {
  private readonly dependencies: PreparedOptionsDependencies<Response>;
  private prepared: Promise<Response> | undefined;

  constructor(dependencies: PreparedOptionsDependencies<Response>) {
    this.dependencies = dependencies;
  }

  /** Requests them now. A failure is reported by the next `get`, which requests them again. */
  prepare(): void {
    this.get().catch(() => undefined);
  }

  /** The prepared options, or new ones. Options that could not be requested are requested again the next time. */
  get(): Promise<Response> {
    if (this.prepared) return this.prepared;
    const requested = this.dependencies.request();
    this.prepared = requested;
    const discard = (): boolean => {
      const isCurrent = this.prepared === requested;
      if (isCurrent) this.discard();
      return isCurrent;
    };
    requested.then(
      ({ options: { timeout = defaultTimeoutMs } }) =>
        this.dependencies.after(timeout * refreshAfter, () => {
          if (discard()) this.dependencies.onExpired?.();
        }),
      discard,
    );
    return requested;
  }

  /** Their challenge has been used. */
  discard(): void {
    this.prepared = undefined;
  }
}

import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { failureOf, type Failed } from '../browser/failure.ts';

/** Dependencies of ceremonies on the browser and the server. */
export interface CeremonyDependencies {
  /** `earlier`: for passkeys from before the organization changed its RP ID. */
  options: (earlier: boolean) => Promise<PublicKeyCredentialRequestOptionsJSON>;
  authenticate: (
    optionsJSON: PublicKeyCredentialRequestOptionsJSON,
    useBrowserAutofill: boolean,
  ) => Promise<AuthenticationResponseJSON>;
  /** Ends the pending request of the browser. */
  abort: () => void;
  after: (delayMs: number, callback: () => void) => void;
}

/** A challenge is replaced after this part of its timeout, so that a late choice still has a valid one. */
const refreshAfter = 0.8;
/** Used when the server sends no timeout. */
const defaultTimeoutMs = 60_000;

/**
 * One ceremony at a time, since the browser runs one and the server stores one challenge. Beginning a ceremony ends the
 * previous one, whose result is ignored.
 */
export class Ceremonies {
  private readonly dependencies: CeremonyDependencies;
  private readonly onResponse: (response: AuthenticationResponseJSON) => void;
  private readonly onFailure: (failure: Failed) => void;
  private current = 0;

  constructor(
    dependencies: CeremonyDependencies,
    onResponse: (response: AuthenticationResponseJSON) => void,
    onFailure: (failure: Failed) => void,
  ) {
    this.dependencies = dependencies;
    this.onResponse = onResponse;
    this.onFailure = onFailure;
  }

  /** Opens the browser's dialogue, after the customer's click. */
  async authenticate(earlier = false): Promise<void> {
    const ceremony = this.begin();
    try {
      const options = await this.dependencies.options(earlier);
      if (ceremony !== this.current) return;
      this.finish(ceremony, await this.dependencies.authenticate(options, false));
    } catch (error) {
      if (ceremony === this.current) this.onFailure(failureOf(error));
    }
  }

  /**
   * Lets the browser suggest passkeys (conditional UI). The customer did not start it, so only the end of the sign-in
   * is reported as a failure.
   */
  async suggest(): Promise<void> {
    const ceremony = this.begin();
    try {
      const options = await this.dependencies.options(false);
      if (ceremony !== this.current) return;
      this.dependencies.after((options.timeout ?? defaultTimeoutMs) * refreshAfter, () => {
        if (ceremony === this.current) void this.suggest();
      });
      this.finish(ceremony, await this.dependencies.authenticate(options, true));
    } catch (error) {
      const failure = failureOf(error);
      if (ceremony === this.current && failure.kind === 'not_found') this.onFailure(failure);
    }
  }

  /** Ends the pending ceremony. */
  stop(): void {
    this.begin();
  }

  private begin(): number {
    this.dependencies.abort();
    return ++this.current;
  }

  private finish(ceremony: number, response: AuthenticationResponseJSON): void {
    if (ceremony !== this.current) return;
    // No later refresh may replace the challenge of this response.
    this.current++;
    this.onResponse(response);
  }
}

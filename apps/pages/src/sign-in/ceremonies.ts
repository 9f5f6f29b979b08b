import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import type { SignInOptions } from '@holdfast/contracts';
import { failureOf, type Failed } from '../browser/failure.ts';
import { PreparedOptions } from '../browser/prepared-options.ts';

/** The response of the server with the options of a sign-in. */
export type RequestedOptions = Omit<SignInOptions, 'options'> & { options: PublicKeyCredentialRequestOptionsJSON };

/** Dependencies of ceremonies on the browser and the server. */
export interface CeremonyDependencies {
  options: () => Promise<RequestedOptions>;
  authenticate: (
    optionsJSON: PublicKeyCredentialRequestOptionsJSON,
    useBrowserAutofill: boolean,
  ) => Promise<AuthenticationResponseJSON>;
  /** Ends the pending request of the browser. */
  abort: () => void;
  after: (delayMs: number, callback: () => void) => void;
}

export interface CeremonyListener {
  /** The browser's dialogue opens now. */
  onDialogue: () => void;
  /** `rpId`: for which RP ID the passkey is. */
  onResponse: (response: AuthenticationResponseJSON, rpId: string | undefined) => void;
  onFailure: (failure: Failed) => void;
}

/**
 * One ceremony at a time, since the browser runs one. Beginning a ceremony ends the previous one, whose result is
 * ignored. A ceremony that ended without a response leaves its options to the next one.
 */
export class Ceremonies {
  private readonly dependencies: CeremonyDependencies;
  private readonly listener: CeremonyListener;
  private readonly prepared: PreparedOptions<RequestedOptions>;
  private current = 0;
  private suggesting = false;

  constructor(dependencies: CeremonyDependencies, listener: CeremonyListener) {
    this.dependencies = dependencies;
    this.listener = listener;
    this.prepared = new PreparedOptions({
      request: dependencies.options,
      after: dependencies.after,
      onExpired: () => (this.suggesting ? void this.suggest() : undefined),
    });
  }

  /** Requests the options, so that the dialogue opens at the customer's click. */
  prepare(): void {
    this.prepared.prepare();
  }

  /**
   * Opens the browser's dialogue, after the customer's click.
   * @param earlier for passkeys from before the organization changed its RP ID
   */
  async authenticate(earlier = false): Promise<void> {
    const ceremony = this.begin();
    try {
      const { options, earlierRpId } = await this.prepared.get();
      if (ceremony !== this.current) return;
      this.listener.onDialogue();
      await this.run(
        ceremony,
        earlier && earlierRpId !== undefined ? { ...options, rpId: earlierRpId } : options,
        false,
      );
    } catch (error) {
      if (ceremony === this.current) this.listener.onFailure(failureOf(error));
    }
  }

  /**
   * Lets the browser suggest passkeys (conditional UI). The customer did not start it, so only the end of the sign-in
   * is reported as a failure.
   */
  async suggest(): Promise<void> {
    const ceremony = this.begin();
    this.suggesting = true;
    try {
      const { options } = await this.prepared.get();
      if (ceremony === this.current) await this.run(ceremony, options, true);
    } catch (error) {
      const failure = failureOf(error);
      if (ceremony === this.current && failure.kind === 'not_found') this.listener.onFailure(failure);
    }
  }

  /** Ends the pending ceremony. */
  stop(): void {
    this.begin();
  }

  /** Ends the pending ceremony, and prepares the next one: for browsers that cannot suggest passkeys. */
  rest(): void {
    this.begin();
    this.prepare();
  }

  private begin(): number {
    this.dependencies.abort();
    this.suggesting = false;
    return ++this.current;
  }

  private async run(
    ceremony: number,
    options: PublicKeyCredentialRequestOptionsJSON,
    useBrowserAutofill: boolean,
  ): Promise<void> {
    const response = await this.dependencies.authenticate(options, useBrowserAutofill);
    if (ceremony !== this.current) return;
    // No later refresh may end the verification of this response.
    this.suggesting = false;
    this.current++;
    this.prepared.discard();
    this.listener.onResponse(response, options.rpId);
  }
}

import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { failureOf, type Failed } from '../browser/failure.ts';

/** What a ceremony needs of the browser and the server. */
export interface Means {
  /** `earlier`: for passkeys of before the organization moved to another RP ID. */
  options: (earlier: boolean) => Promise<PublicKeyCredentialRequestOptionsJSON>;
  authenticate: (
    optionsJSON: PublicKeyCredentialRequestOptionsJSON,
    useBrowserAutofill: boolean,
  ) => Promise<AuthenticationResponseJSON>;
  /** Ends the browser's pending request. */
  abort: () => void;
  after: (milliseconds: number, act: () => void) => void;
}

/** The part of a challenge's life after which it is replaced, so that a late choice still finds a good one. */
const ripe = 0.8;
/** Used when the server names no life, in milliseconds. */
const life = 60_000;

/**
 * One ceremony at a time, since a browser runs one and the server keeps one challenge: each beginning ends the one
 * before, whose outcome, whenever it comes, counts for nothing.
 */
export class Ceremonies {
  private readonly means: Means;
  private readonly chosen: (response: AuthenticationResponseJSON) => void;
  private readonly failed: (failure: Failed) => void;
  private turn = 0;

  constructor(means: Means, chosen: (response: AuthenticationResponseJSON) => void, failed: (failure: Failed) => void) {
    this.means = means;
    this.chosen = chosen;
    this.failed = failed;
  }

  /** The dialogue, on the customer's click. */
  async ask(earlier = false): Promise<void> {
    const mine = this.begin();
    try {
      const options = await this.means.options(earlier);
      if (mine !== this.turn) return;
      this.finish(mine, await this.means.authenticate(options, false));
    } catch (error) {
      if (mine === this.turn) this.failed(failureOf(error));
    }
  }

  /** Suggestions in the field. Fails without a word, for nobody asked; only a sign-in that is over is worth one. */
  async offer(): Promise<void> {
    const mine = this.begin();
    try {
      const options = await this.means.options(false);
      if (mine !== this.turn) return;
      this.means.after((options.timeout ?? life) * ripe, () => {
        if (mine === this.turn) void this.offer();
      });
      this.finish(mine, await this.means.authenticate(options, true));
    } catch (error) {
      const failure = failureOf(error);
      if (mine === this.turn && failure.kind === 'not_found') this.failed(failure);
    }
  }

  /** Ends what is pending. */
  stop(): void {
    this.begin();
  }

  private begin(): number {
    this.means.abort();
    return ++this.turn;
  }

  private finish(mine: number, response: AuthenticationResponseJSON): void {
    if (mine !== this.turn) return;
    // No later refresh may replace the challenge that is being answered.
    this.turn++;
    this.chosen(response);
  }
}

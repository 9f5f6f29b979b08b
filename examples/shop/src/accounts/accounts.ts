import { JsonFile } from './json-file.ts';

/** An offer that may still be open, so that staff can take it back. Its link is not kept. */
export interface PendingOffer {
  offerId: string;
  credentialId: string;
  expiresAt: string;
  /** For a customer who has claimed before: a new passkey in place of a lost one. */
  again: boolean;
}

/** What this shop knows of a customer. Name and e-mail stay here; Holdfast never sees them. */
export interface Account {
  issuer: string;
  subject: string;
  name: string;
  email: string;
  createdAt: string;
  /** Came with a passkey that another app of the organization had offered: not in this app's list at Holdfast. */
  joined?: true;
  offer?: PendingOffer;
}

/** The shop's accounts, keyed on issuer and subject: the two things about a customer that never change. */
export class Accounts {
  readonly #file: JsonFile<Record<string, Account>>;

  constructor(path: string) {
    this.#file = new JsonFile<Record<string, Account>>(path, {});
  }

  find(issuer: string, subject: string): Account | undefined {
    const key = keyOf(issuer, subject);
    return Object.hasOwn(this.#file.value, key) ? this.#file.value[key] : undefined;
  }

  all(): Account[] {
    return Object.values(this.#file.value);
  }

  async put(account: Account): Promise<void> {
    this.#file.value[keyOf(account.issuer, account.subject)] = account;
    await this.#file.save();
  }

  async remember(account: Account, offer: PendingOffer | undefined): Promise<void> {
    const { offer: _before, ...rest } = account;
    await this.put({ ...rest, ...(offer && { offer }) });
  }

  async remove(issuer: string, subject: string): Promise<void> {
    delete this.#file.value[keyOf(issuer, subject)];
    await this.#file.save();
  }
}

function keyOf(issuer: string, subject: string): string {
  return `${issuer} ${subject}`;
}

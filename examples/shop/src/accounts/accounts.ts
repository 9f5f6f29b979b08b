import { JsonFile } from './json-file.ts';

/** An offer that may still be open, so that staff can withdraw it. Its claim link is not stored. */
interface PendingOffer {
  offerId: string;
  credentialId: string;
  expiresAt: string;
  /** The customer had claimed before: the offer replaces a lost passkey. */
  isReplacement: boolean;
}

/** The shop's data about a customer. Holdfast never receives name and e-mail. */
export interface Account {
  issuer: string;
  subject: string;
  name: string;
  email: string;
  createdAt: string;
  /** Another app of the organization made the offer, so this app's list at Holdfast does not contain the customer. */
  joined?: true;
  offer?: PendingOffer;
}

/** The shop's accounts, by issuer and subject: together they identify a customer and never change. */
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

  async setOffer(account: Account, offer: PendingOffer | undefined): Promise<void> {
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

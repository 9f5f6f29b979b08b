import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/browser';
import { failureOf, type Failed } from '../browser/failure.ts';
import { PreparedOptions } from '../browser/prepared-options.ts';

export interface RequestedOptions {
  options: PublicKeyCredentialCreationOptionsJSON;
}

/** Dependencies of the creation of a passkey on the browser and the server. */
export interface CreationDependencies<Completed> {
  options: () => Promise<RequestedOptions>;
  register: (optionsJSON: PublicKeyCredentialCreationOptionsJSON) => Promise<RegistrationResponseJSON>;
  /** Ends the pending request of the browser. */
  abort: () => void;
  complete: (response: RegistrationResponseJSON) => Promise<Completed>;
  /** Hides a passkey that is on the device and that the server will never have. */
  hide: (rpId: string | undefined, credentialId: string) => void;
  after: (delayMs: number, callback: () => void) => void;
}

export interface CreationListener<Completed> {
  /** The browser's dialogue opens now. */
  onDialogue: () => void;
  /** The passkey is on the device, and the server does not have it yet. */
  onCreated: () => void;
  onCompleted: (completed: Completed) => void;
  onFailure: (failure: Failed) => void;
}

/** A passkey that is on the device. */
interface Created {
  response: RegistrationResponseJSON;
  rpId: string | undefined;
  /** The server may have stored it: a response was lost. */
  maybeStored?: true;
}

/**
 * Creates a passkey and sends it to the server. When the server could not be reached, the next attempt sends the same
 * passkey again, so that none is created in vain. Stopping ends an attempt, whose result is ignored.
 */
export class Creation<Completed> {
  private readonly dependencies: CreationDependencies<Completed>;
  private readonly listener: CreationListener<Completed>;
  private readonly prepared: PreparedOptions<RequestedOptions>;
  private current = 0;
  private created: Created | undefined;

  constructor(dependencies: CreationDependencies<Completed>, listener: CreationListener<Completed>) {
    this.dependencies = dependencies;
    this.listener = listener;
    // Options that have expired are requested again at the next click: an idle page requests nothing.
    this.prepared = new PreparedOptions({ request: dependencies.options, after: dependencies.after });
  }

  /** Requests the options, so that the dialogue opens at the customer's click. */
  prepare(): void {
    this.prepared.prepare();
  }

  async create(): Promise<void> {
    const attempt = ++this.current;
    try {
      const created = this.created ?? (await this.register(attempt));
      if (!created) return;
      this.listener.onCreated();
      const completed = await this.send(created);
      if (attempt === this.current) this.listener.onCompleted(completed);
    } catch (error) {
      if (attempt === this.current) this.listener.onFailure(failureOf(error));
    }
  }

  /** Ends the pending attempt, unless the passkey is on the device already. */
  stop(): void {
    this.current++;
    this.dependencies.abort();
  }

  /** Another link: what was prepared is not for it. */
  reset(): void {
    this.stop();
    this.prepared.discard();
    this.created = undefined;
  }

  private async register(attempt: number): Promise<Created | undefined> {
    const { options } = await this.prepared.get();
    if (attempt !== this.current) return undefined;
    this.listener.onDialogue();
    const response = await this.dependencies.register(options);
    this.prepared.discard();
    if (attempt !== this.current) {
      // It was confirmed on the device in the moment in which the customer stopped here.
      this.dependencies.hide(options.rp.id, response.id);
      return undefined;
    }
    return (this.created = { response, rpId: options.rp.id });
  }

  private async send(created: Created): Promise<Completed> {
    try {
      const completed = await this.dependencies.complete(created.response);
      this.forget(created);
      return completed;
    } catch (error) {
      const { kind } = failureOf(error);
      if (kind === 'unavailable') created.maybeStored = true;
      else if (kind !== 'rate_limited') {
        this.forget(created);
        // Otherwise the passkey that works could be hidden.
        if (!created.maybeStored) this.dependencies.hide(created.rpId, created.response.id);
      }
      throw error;
    }
  }

  /** Unless another link has been opened meanwhile, and has a passkey of its own. */
  private forget(created: Created): void {
    if (this.created === created) this.created = undefined;
  }
}

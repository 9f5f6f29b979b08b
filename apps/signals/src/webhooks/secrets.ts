import { Inject, Injectable } from '@nestjs/common';
import { encryptionKeysOf, seal, unseal, type KeyEncryptionConfig } from '@holdfast/platform';
import { CONFIG, type SealedTable } from '@holdfast/service';
import type { SigningSecrets } from '../standard-webhooks/signing-secrets.js';

const secretsContext = ({ id }: { id: string }) => `webhook_endpoint ${id}`;
const headersContext = ({ id }: { id: string }) => `webhook_endpoint headers ${id}`;
const keyContext = ({ org, kid }: { org: string; kid: string }) => `webhook_key ${org} ${kid}`;

/** Secrets and headers of endpoints, and private keys, encrypted in their tables. Nothing returns them. */
@Injectable()
export class WebhookSecrets {
  constructor(@Inject(CONFIG) private readonly config: KeyEncryptionConfig) {}

  sealSecrets(id: string, secrets: SigningSecrets): Buffer {
    return this.sealed(JSON.stringify(secrets), secretsContext({ id }));
  }

  /** @throws when they were encrypted with another key */
  secretsOf({ id, secrets }: { id: string; secrets: Buffer }): SigningSecrets {
    return JSON.parse(this.unsealed(secrets, secretsContext({ id }))) as SigningSecrets;
  }

  sealHeaders(id: string, headers: Record<string, string>): Buffer {
    return this.sealed(JSON.stringify(headers), headersContext({ id }));
  }

  /** @throws when they were encrypted with another key */
  headersOf({ id, headers }: { id: string; headers: Buffer | null }): Record<string, string> {
    if (!headers) return {};
    return JSON.parse(this.unsealed(headers, headersContext({ id }))) as Record<string, string>;
  }

  /** @param key PKCS #8 in PEM */
  sealKey(org: string, kid: string, key: string): Buffer {
    return this.sealed(key, keyContext({ org, kid }));
  }

  /** @throws when it was encrypted with another key */
  keyOf({ org, kid, private_key: key }: { org: string; kid: string; private_key: Buffer }): string {
    return this.unsealed(key, keyContext({ org, kid }));
  }

  private sealed(text: string, context: string): Buffer {
    return seal(this.config.KEY_ENCRYPTION_KEY, text, context);
  }

  private unsealed(sealed: Buffer, context: string): string {
    return unseal(encryptionKeysOf(this.config), sealed, context).toString();
  }
}

/** Encrypted again during a rotation of KEY_ENCRYPTION_KEY. */
export const sealedWebhookSecrets: SealedTable[] = [
  { name: 'webhook_endpoint', column: 'secrets', key: { id: 'uuid' }, contextOf: secretsContext },
  {
    name: 'webhook_endpoint',
    column: 'headers',
    key: { id: 'uuid' },
    where: 'headers IS NOT NULL',
    contextOf: headersContext,
  },
  { name: 'webhook_key', column: 'private_key', key: { org: 'text', kid: 'text' }, contextOf: keyContext },
];

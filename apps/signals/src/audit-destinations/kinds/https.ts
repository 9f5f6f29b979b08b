import type { DestinationSettings } from '@holdfast/contracts';
import { sha256 } from '@holdfast/platform';
import { signatureHeaders } from '../../standard-webhooks/signature.js';
import type { SigningSecrets } from '../../standard-webhooks/signing-secrets.js';
import type { Batch, DestinationKind, Target } from './kind.js';
import { post } from './post.js';

type Settings = DestinationSettings<'https'>;

/** Batches by POST to any server, signed by Standard Webhooks 1.0: docs/audit-destinations.md tells how to verify. */
export const https: DestinationKind<Settings, SigningSecrets> = {
  maxBytes: 1_000_000,
  check: ({ url }, outbound) => outbound.check(url),
  async send(batch, target) {
    const { settings } = target;
    const body = bodyOf(batch, settings.encoding, target.baseUrl);
    await post(target, { url: settings.url, headers: headersOf(batch, target, body), body });
    return {};
  },
};

const contentTypes: Record<Settings['encoding'], string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  cloudevents: 'application/cloudevents-batch+json',
};

/** The signature is that of the body before its compression: servers decompress before a program sees the body. */
function headersOf(batch: Batch, { id, settings, credentials, now }: Target<Settings, SigningSecrets>, body: string) {
  const messageId = messageIdOf(id, batch);
  return {
    'content-type': contentTypes[settings.encoding],
    ...signatureHeaders({ messageId, body, now }, { secrets: credentials }),
  };
}

/** The same for the same entries, so that a receiver recognizes a repeat. */
function messageIdOf(id: string, { org, entries }: Batch): string {
  const place = [id, org, entries[0].event.id, entries.at(-1)!.event.id, entries.length].join('/');
  return `msg_${sha256(place).toString('base64url').slice(0, 32)}`;
}

function bodyOf({ org, entries }: Batch, encoding: Settings['encoding'], baseUrl: string): string {
  if (encoding === 'ndjson') return entries.map(({ body }) => `${JSON.stringify(body)}\n`).join('');
  // The libraries of Standard Webhooks parse the body that they have verified as JSON.
  if (encoding === 'json') return JSON.stringify(entries.map(({ body }) => body));
  return JSON.stringify(
    entries.map(({ event, body }) => ({
      specversion: '1.0',
      id: event.id,
      source: `${baseUrl}/o/${org}`,
      type: `audit.${event.action}`,
      time: event.occurredAt,
      // CloudEvents "Sequence" extension: a string that sorts as the number.
      sequence: String(event.seq).padStart(15, '0'),
      datacontenttype: 'application/json',
      data: body,
    })),
  );
}

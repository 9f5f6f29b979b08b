import { z } from 'zod';
import { eventTypes, type EventType } from '../events/event-types.js';

/** A message of a webhook: a CloudEvent 1.0 in structured JSON. Its members are part of the public API. */
export interface WebhookMessageBody {
  specversion: '1.0';
  id: string;
  /** The organization's issuer. Unique with `id`. */
  source: string;
  type: EventType;
  /** The customer, if it is about one. */
  subject?: string;
  time: string;
  datacontenttype: 'application/json';
  /** Extension "Sequence": a string that sorts as the place in the organization's feed. */
  sequence: string;
  /** Version of the customer, app or person: orders the events of one. */
  version: number;
  /** Present and `true` in a test message. */
  test?: true;
  data: Record<string, unknown>;
}

interface MessageEvent {
  id: string;
  seq: number;
  type: EventType;
  occurredAt: string;
  version: number;
  data: Record<string, unknown>;
}

const sampleValues: Record<string, unknown> = {
  passkeys: 2,
  subject: '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10',
  credentialId: '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a01',
  credentialType: 'customer',
  offerId: '019aa5f2-7c1f-7a10-9c44-1d2e3f4a5b6c',
  expiresAt: '2027-11-21T09:41:12.345Z',
  app: 'app_Ab3dE6gH9jK2mN5pQ8sT1v',
  user: '0b6c1d52-8f0e-4a39-9a35-6d3c1f5d7a11',
  group: '019aa5f2-7c20-7b31-8d55-2e3f4a5b6c7d',
  roles: ['support'],
  assignment: '019aa5f2-7c21-7c42-9e66-3f4a5b6c7d8e',
  accessRequest: '019aa5f2-7c22-7d53-8f77-4a5b6c7d8e9f',
  export: '019aa5f2-7c23-7e64-9a88-5b6c7d8e9fa0',
  destination: '019aa5f2-7c24-7f75-8b99-6c7d8e9fa0b1',
  endpoint: '019aa5f2-7c25-7a86-9caa-7d8e9fa0b1c2',
  failingSince: '2026-11-16T09:41:12.345Z',
};

/**
 * What the schema of a type has, with the same values wherever a member has the same name, and the first value of an
 * enumeration. An assignment is that of a person or of a group, never of both.
 */
function sampleData(type: EventType): Record<string, unknown> {
  const { shape } = eventTypes[type].data as unknown as z.ZodObject;
  const names = Object.keys(shape).filter((name) => !(name === 'group' && 'assignment' in shape));
  return Object.fromEntries(
    names.map((name) => {
      const schema: unknown = shape[name];
      return [name, schema instanceof z.ZodEnum ? schema.options[0] : sampleValues[name]];
    }),
  );
}

/** The message about an event. */
export function webhookMessageOf(
  { id, seq, type, occurredAt, version, data }: MessageEvent,
  source: string,
): WebhookMessageBody {
  return {
    specversion: '1.0',
    id,
    source,
    type,
    ...(typeof data.subject === 'string' && { subject: data.subject }),
    time: occurredAt,
    datacontenttype: 'application/json',
    sequence: String(seq).padStart(15, '0'),
    version,
    data,
  };
}

/** The sample of a type, as the catalogue has it. */
export function sampleMessageOf(type: EventType, source: string): WebhookMessageBody {
  const event = {
    id: '019aa5f2-7c1f-7c54-92e6-4f1b0a9c8d04',
    seq: 1041,
    type,
    occurredAt: '2026-11-21T09:41:12.345Z',
    version: 2,
    data: sampleData(type),
  };
  return webhookMessageOf(event, source);
}

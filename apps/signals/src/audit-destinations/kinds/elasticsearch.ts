import { z } from 'zod';
import type { DestinationCredentials, DestinationSettings } from '@holdfast/contracts';
import { urlBelow } from './address.js';
import { DeliveryError, type Delivered, type DestinationKind, type Entry } from './kind.js';
import { post } from './post.js';

type Credentials = DestinationCredentials<'elasticsearch'>;

/** A response has a few hundred bytes for each of 200 entries. */
const maxResponseBytes = 1_000_000;

const responseSchema = z.looseObject({
  items: z.array(
    z.record(
      z.string(),
      z.looseObject({ status: z.int(), error: z.looseObject({ type: z.string().optional() }).optional() }),
    ),
  ),
});

/**
 * The bulk API of Elasticsearch and OpenSearch. Each entry has its own id as `_id` and is created: a duplicate is
 * answered with 409, and the document is there. `create` is also the only action that data streams accept.
 */
export const elasticsearch: DestinationKind<DestinationSettings<'elasticsearch'>, Credentials> = {
  maxBytes: 5_000_000,
  check: ({ url }, outbound) => outbound.check(url),
  async send({ entries }, target) {
    const { url, index } = target.settings;
    const lines = entries.flatMap(({ event, body }) => [
      JSON.stringify({ create: { _index: index, _id: event.id } }),
      JSON.stringify({ '@timestamp': event.occurredAt, ...body }),
    ]);
    const response = await post(target, {
      url: urlBelow(url, '_bulk'),
      headers: { authorization: authorizationOf(target.credentials), 'content-type': 'application/x-ndjson' },
      body: `${lines.join('\n')}\n`,
      maxResponseBytes,
    });
    return outcomeOf(response.body, entries);
  },
};

function authorizationOf(credentials: Credentials): string {
  if ('apiKey' in credentials) return `ApiKey ${credentials.apiKey}`;
  return `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
}

/** The response is 200 even when no document was stored: each item has a status of its own. */
function outcomeOf(response: Buffer, entries: readonly Entry[]): Delivered {
  const statuses = statusesOf(response);
  if (statuses?.length !== entries.length)
    throw new DeliveryError('the response of the receiver is not that of the bulk API: compare the address.');
  const isRetried = (status: number) => status === 429 || status >= 500;
  const first = statuses.findIndex(({ status }) => isRetried(status));
  const confirmed = first < 0 ? entries.length : first;
  const refused = statuses.slice(0, confirmed).filter(({ status }) => status >= 300 && status !== 409);
  const last = refused.at(-1);
  return {
    confirmed,
    ...(last && {
      rejected: { count: refused.length, reason: `the receiver refused it with status ${last.status} (${last.type})` },
    }),
    ...(first >= 0 && {
      failure: new DeliveryError(
        `the receiver could not store some entries (status ${statuses[first]!.status}, ${statuses[first]!.type}).`,
      ),
    }),
  };
}

function statusesOf(response: Buffer): { status: number; type: string }[] | undefined {
  try {
    const { items } = responseSchema.parse(JSON.parse(response.toString('utf8')));
    return items.map((item) => {
      const { status, error } = Object.values(item)[0]!;
      // The reason may repeat values of the entry or of the cluster; the type is one of a fixed list.
      const type = /^[a-z_]{1,60}$/.exec(error?.type ?? '')?.[0] ?? 'no type';
      return { status, type };
    });
  } catch {
    return undefined;
  }
}

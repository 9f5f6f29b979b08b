import type { DestinationCredentials, DestinationSettings } from '@holdfast/contracts';
import { urlBelow } from './address.js';
import type { DestinationKind } from './kind.js';
import { post } from './post.js';

/** The log intake of Datadog, v2: at most 1000 logs, 5 MB and 1 MB for each log. */
export const datadog: DestinationKind<DestinationSettings<'datadog'>, DestinationCredentials<'datadog'>> = {
  maxBytes: 4_000_000,
  check: ({ url }, outbound) => outbound.check(url),
  async send({ org, entries }, target) {
    const { settings, credentials, baseUrl } = target;
    const { url, service, tags } = settings;
    const hostname = new URL(baseUrl).hostname;
    const logs = entries.map(({ event, body }) => ({
      ddsource: 'holdfast',
      ddtags: [`organization:${org}`, ...(tags === undefined ? [] : [tags])].join(','),
      hostname,
      service,
      timestamp: event.occurredAt,
      message: JSON.stringify(body),
    }));
    await post(target, {
      url: urlBelow(url, 'api/v2/logs'),
      headers: { 'dd-api-key': credentials.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(logs),
    });
    return {};
  },
};

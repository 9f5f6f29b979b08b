import type { DestinationCredentials, DestinationSettings } from '@holdfast/contracts';
import { urlBelow } from './address.js';
import type { DestinationKind } from './kind.js';
import { post } from './post.js';

type Settings = DestinationSettings<'splunk_hec'>;

/** The HTTP Event Collector of Splunk: a batch is a sequence of JSON objects, without acknowledgement by indexers. */
export const splunkHec: DestinationKind<Settings, DestinationCredentials<'splunk_hec'>> = {
  maxBytes: 800_000,
  check: ({ url }, outbound) => outbound.check(url),
  async send({ org, entries }, target) {
    const { id, settings, credentials, baseUrl } = target;
    const { url, source, sourcetype, index } = settings;
    const host = new URL(baseUrl).hostname;
    const body = entries.map(({ event, body: sent }) =>
      JSON.stringify({
        time: new Date(event.occurredAt).getTime() / 1000,
        host,
        source,
        sourcetype,
        ...(index !== undefined && { index }),
        event: sent,
        fields: { organization: org, seq: event.seq },
      }),
    );
    await post(target, {
      url: urlBelow(url, 'services/collector/event'),
      // The channel is needed where the token has acknowledgements enabled.
      headers: {
        authorization: `Splunk ${credentials.token}`,
        'content-type': 'application/json',
        'x-splunk-request-channel': id,
      },
      body: body.join('\n'),
    });
    return {};
  },
};

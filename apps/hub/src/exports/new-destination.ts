import type { Schemas } from '@holdfast/api-client';

export const destinationKinds = ['https', 'splunk_hec', 'elasticsearch', 'datadog', 'otlp_http', 'syslog'] as const;
type DestinationKind = (typeof destinationKinds)[number];

/** What the form of a new destination has, besides its credential. */
export interface DestinationValues extends Record<string, string> {
  kind: string;
  /** An address, or the host of a syslog server. */
  address: string;
  index: string;
  description: string;
  format: string;
}

/**
 * The body of the request. Settings that the form does not have get their default from the API.
 * @param credential token or API key of those kinds that have one
 */
export function newDestinationOf(values: DestinationValues, credential: string): Schemas['NewAuditDestination'] {
  const { kind, address, index, description, format } = values;
  const url = address.trim();
  const settings =
    kind === 'syslog' ? { host: url } : { url, ...(kind === 'elasticsearch' && { index: index.trim() }) };
  const body: Pick<Schemas['AuditDestination'], 'format'> & { kind: DestinationKind; settings: object } & object = {
    kind: destinationKinds.find((one) => one === kind) ?? 'https',
    ...(description.trim() !== '' && { description: description.trim() }),
    format: format === 'ocsf' ? 'ocsf' : 'native',
    settings,
    ...(kind === 'splunk_hec' && { credentials: { token: credential } }),
    ...((kind === 'elasticsearch' || kind === 'datadog') && { credentials: { apiKey: credential } }),
  };
  // The type has one member of a union for each kind, and this body is one of them by its parts.
  return body as Schemas['NewAuditDestination'];
}

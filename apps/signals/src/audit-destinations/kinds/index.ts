import type { DestinationCredentials, DestinationKindName, DestinationSettings } from '@holdfast/contracts';
import type { SigningSecrets } from '../../standard-webhooks/signing-secrets.js';
import { datadog } from './datadog.js';
import { elasticsearch } from './elasticsearch.js';
import { https } from './https.js';
import type { DestinationKind } from './kind.js';
import { otlpHttp } from './otlp-http.js';
import { splunkHec } from './splunk-hec.js';
import { syslog } from './syslog.js';

type Kinds = {
  [K in DestinationKindName]: DestinationKind<
    DestinationSettings<K>,
    K extends 'https' ? SigningSecrets : DestinationCredentials<K>
  >;
};
const kinds: Kinds = { https, splunk_hec: splunkHec, elasticsearch, datadog, otlp_http: otlpHttp, syslog };

/** Settings and credentials were checked by the schemas of the kind before they were stored. */
export function kindOf(name: DestinationKindName): DestinationKind<unknown, unknown> {
  return kinds[name];
}

import { expect, test } from '@jest/globals';
import { destinationKinds, newDestinationOf } from './new-destination.ts';

const values = { address: ' siem.example ', index: 'audit', description: ' SIEM ', format: 'ocsf' };

test.each(destinationKinds.map((kind) => [kind]))(
  'a new destination of the kind %s has what that kind needs',
  (kind) => {
    const body = newDestinationOf({ ...values, kind }, 'k3y');
    expect(body).toMatchObject({ kind, description: 'SIEM', format: 'ocsf' });
    expect(body.settings).toMatchObject(kind === 'syslog' ? { host: 'siem.example' } : { url: 'siem.example' });
    const credentials = { splunk_hec: { token: 'k3y' }, elasticsearch: { apiKey: 'k3y' }, datadog: { apiKey: 'k3y' } };
    expect('credentials' in body ? body.credentials : undefined).toEqual(credentials[kind as 'datadog']);
  },
);

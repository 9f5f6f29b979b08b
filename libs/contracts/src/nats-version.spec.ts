import { expect, test } from '@jest/globals';
import { isSupportedNatsVersion, minimumNatsVersion } from './nats-version.js';

test.each(['2.10.27', 'v2.10.27', '2.10.28', '2.11.0', '2.12.0-RC.1', '2.15.1', '3.0.0', minimumNatsVersion])(
  'accepts nats-server %s',
  (version) => {
    expect(isSupportedNatsVersion(version)).toBe(true);
  },
);

test.each(['2.9.10', '2.10.7', '2.10.26', '2.2.99', '1.99.99', '', 'git', '2.10'])(
  'refuses nats-server %j',
  (version) => {
    expect(isSupportedNatsVersion(version)).toBe(false);
  },
);

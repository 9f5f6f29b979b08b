import { QuarantinedEvents1764210000000 } from '@holdfast/outbox';
import { First1763700000000 } from './1763700000000-first.js';
import { Claims1763800000000 } from './1763800000000-claims.js';
import { SettingVersions1763910000000 } from './1763910000000-setting-versions.js';
import { SignInsSince1763915000000 } from './1763915000000-sign-ins-since.js';
import { ToldEnds1763920000000 } from './1763920000000-told-ends.js';
import { Presence1763925000000 } from './1763925000000-presence.js';
import { OutboxByCustomer1764000100000 } from './1764000100000-outbox-by-customer.js';
import { ErasuresUnderWay1764000200000 } from './1764000200000-erasures-under-way.js';
import { PasskeysPerOrganization1764020000000 } from './1764020000000-passkeys-per-organization.js';
import { NamedLocks1764200000000 } from './1764200000000-named-locks.js';
import { PasskeysByRpId1764300000000 } from './1764300000000-passkeys-by-rp-id.js';

export const migrations = [
  First1763700000000,
  Claims1763800000000,
  SettingVersions1763910000000,
  SignInsSince1763915000000,
  ToldEnds1763920000000,
  Presence1763925000000,
  OutboxByCustomer1764000100000,
  ErasuresUnderWay1764000200000,
  PasskeysPerOrganization1764020000000,
  NamedLocks1764200000000,
  QuarantinedEvents1764210000000,
  PasskeysByRpId1764300000000,
];

import { NamedLocks1764200000000 } from '@holdfast/data';
import { QuarantinedEvents1764210000000 } from '@holdfast/outbox';
import { CreateDirectory1763700000000 } from './1763700000000-create-directory.js';
import { SignInOfApps1763800000000 } from './1763800000000-sign-in-of-apps.js';
import { OriginsAndLogout1763900000000 } from './1763900000000-origins-and-logout.js';
import { DisplayName1764080000000 } from './1764080000000-display-name.js';
import { RpId1764300000000 } from './1764300000000-rp-id.js';

export const migrations = [
  CreateDirectory1763700000000,
  SignInOfApps1763800000000,
  OriginsAndLogout1763900000000,
  DisplayName1764080000000,
  NamedLocks1764200000000,
  QuarantinedEvents1764210000000,
  RpId1764300000000,
];

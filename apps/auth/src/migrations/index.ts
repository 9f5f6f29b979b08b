import { KeyUse1764710000000 } from '@holdfast/data';
import { CreateAuth1763700000000 } from './1763700000000-create-auth.js';
import { PeopleApps1764310000000 } from './1764310000000-people-apps.js';
import { PasskeysOfSignIns1768300000000 } from './1768300000000-passkeys-of-sign-ins.js';

export const migrations = [
  CreateAuth1763700000000,
  PeopleApps1764310000000,
  KeyUse1764710000000,
  PasskeysOfSignIns1768300000000,
];

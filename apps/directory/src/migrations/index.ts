import { KeyUse1764710000000 } from '@holdfast/data';
import { IdempotencyOrganization1764900000100, OutboxShards1764720000000 } from '@holdfast/outbox';
import { CreateDirectory1763700000000 } from './1763700000000-create-directory.js';
import { Idempotency1764000000000 } from './1764000000000-idempotency.js';
import { People1764300000000 } from './1764300000000-people.js';
import { AppKeys1764300000100 } from './1764300000100-app-keys.js';
import { ManagedApps1764400000000 } from './1764400000000-managed-apps.js';
import { Entitlements1764500000000 } from './1764500000000-entitlements.js';
import { Deletions1764600000000 } from './1764600000000-deletions.js';
import { Peppers1764710000100 } from './1764710000100-peppers.js';
import { OrganizationShards1764720000100 } from './1764720000100-organization-shards.js';
import { AppRateLimits1764800000000 } from './1764800000000-app-rate-limits.js';
import { OrganizationMoves1764900000200 } from './1764900000200-organization-moves.js';
import { PkceModes1765100000600 } from './1765100000600-pkce-modes.js';
import { LinkIssuers1766700000000 } from './1766700000000-link-issuers.js';
import { Makers1766700000100 } from './1766700000100-makers.js';
import { OrganizationAddresses1766800000000 } from './1766800000000-organization-addresses.js';
import { Receivers1768100000000 } from './1768100000000-receivers.js';
import { NextUserHandles1768200000100 } from './1768200000100-next-user-handles.js';
import { Branding1768300000000 } from './1768300000000-branding.js';
import { AppBranding1768400000000 } from './1768400000000-app-branding.js';
import { OrganizationDeletions1768500000000 } from './1768500000000-organization-deletions.js';
import { DeviceAuthorization1768600000000 } from './1768600000000-device-authorization.js';

export const migrations = [
  CreateDirectory1763700000000,
  Idempotency1764000000000,
  People1764300000000,
  AppKeys1764300000100,
  ManagedApps1764400000000,
  Entitlements1764500000000,
  Deletions1764600000000,
  KeyUse1764710000000,
  Peppers1764710000100,
  OutboxShards1764720000000,
  OrganizationShards1764720000100,
  AppRateLimits1764800000000,
  IdempotencyOrganization1764900000100,
  OrganizationMoves1764900000200,
  PkceModes1765100000600,
  LinkIssuers1766700000000,
  Makers1766700000100,
  OrganizationAddresses1766800000000,
  Receivers1768100000000,
  NextUserHandles1768200000100,
  Branding1768300000000,
  AppBranding1768400000000,
  OrganizationDeletions1768500000000,
  DeviceAuthorization1768600000000,
];

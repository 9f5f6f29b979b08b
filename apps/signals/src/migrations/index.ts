import {
  DeletedOrganizations1768500000100,
  KeyUse1764710000000,
  OrganizationFences1764900100000,
} from '@holdfast/data';
import { CreateFeed1764000000000 } from './1764000000000-create-feed.js';
import { FeedRestores1764900000000 } from './1764900000000-feed-restores.js';
import { AuditDestinations1765000000000 } from './1765000000000-audit-destinations.js';
import { AuditSuspensions1766500000000 } from './1766500000000-audit-suspensions.js';
import { DestinationMakers1767000000100 } from './1767000000100-destination-makers.js';
import { Webhooks1768000000000 } from './1768000000000-webhooks.js';
import { SharedSignals1768200000000 } from './1768200000000-shared-signals.js';

export const migrations = [
  CreateFeed1764000000000,
  FeedRestores1764900000000,
  OrganizationFences1764900100000,
  AuditDestinations1765000000000,
  KeyUse1764710000000,
  AuditSuspensions1766500000000,
  DestinationMakers1767000000100,
  Webhooks1768000000000,
  SharedSignals1768200000000,
  DeletedOrganizations1768500000100,
];

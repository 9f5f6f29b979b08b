import {
  DeletedOrganizations1768500000100,
  KeyUse1764710000000,
  OrganizationFences1764900100000,
} from '@holdfast/data';
import { CreateLog1763700000000 } from './1763700000000-create-log.js';
import { RemoveOrganization1764900000100 } from './1764900000100-remove-organization.js';
import { Analytics1765100000000 } from './1765100000000-analytics.js';
import { Exports1765200000000 } from './1765200000000-exports.js';
import { Cosignatures1765300000000 } from './1765300000000-cosignatures.js';
import { EntryStream1765400000000 } from './1765400000000-entry-stream.js';
import { LongAnalytics1766600000000 } from './1766600000000-long-analytics.js';
import { ReaderMakers1767000000200 } from './1767000000200-reader-makers.js';

export const migrations = [
  CreateLog1763700000000,
  KeyUse1764710000000,
  OrganizationFences1764900100000,
  RemoveOrganization1764900000100,
  Analytics1765100000000,
  Exports1765200000000,
  Cosignatures1765300000000,
  EntryStream1765400000000,
  LongAnalytics1766600000000,
  ReaderMakers1767000000200,
  DeletedOrganizations1768500000100,
];

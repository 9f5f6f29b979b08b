import { NamedLocks1764200000000 } from '@holdfast/data';
import { CreateSigningKeys1763700000000 } from './1763700000000-create-signing-keys.js';
import { Issuers1763800000000 } from './1763800000000-issuers.js';
import { Consequences1763930000000 } from './1763930000000-consequences.js';
import { RecordOutbox1764010000000 } from './1764010000000-record-outbox.js';
import { EndedCustomersByTime1764330000000 } from './1764330000000-ended-customers-by-time.js';

export const migrations = [
  CreateSigningKeys1763700000000,
  Issuers1763800000000,
  Consequences1763930000000,
  RecordOutbox1764010000000,
  NamedLocks1764200000000,
  EndedCustomersByTime1764330000000,
];

import {
  DeletedOrganizations1768500000100,
  KeyUse1764710000000,
  OrganizationFences1764900100000,
} from '@holdfast/data';
import {
  IdempotencyOrganization1764900000100,
  OutboxShards1764720000000,
  QuarantinedEvents1764210000000,
} from '@holdfast/outbox';
import { CreateIssuance1763700000000 } from './1763700000000-create-issuance.js';
import { NamedLocks1764200000000 } from './1764200000000-named-locks.js';
import { OfferMakers1767000000000 } from './1767000000000-offer-makers.js';
import { NextUserHandles1768200000000 } from './1768200000000-next-user-handles.js';
import { SeveralPasskeys1768300000000 } from './1768300000000-several-passkeys.js';
import { OffersByPeople1768500000000 } from './1768500000000-offers-by-people.js';

export const migrations = [
  CreateIssuance1763700000000,
  NamedLocks1764200000000,
  QuarantinedEvents1764210000000,
  KeyUse1764710000000,
  OutboxShards1764720000000,
  OrganizationFences1764900100000,
  IdempotencyOrganization1764900000100,
  OfferMakers1767000000000,
  NextUserHandles1768200000000,
  SeveralPasskeys1768300000000,
  OffersByPeople1768500000000,
  DeletedOrganizations1768500000100,
];

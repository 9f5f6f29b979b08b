import { beginClaim, completeClaim, countPasskeys, getClaim } from './claims.js';
import { createCredentialType, listCredentialTypes, updateCredentialType } from './credential-types.js';
import { getIssued, resumeCredential, revokeCredential, suspendCredential } from './credentials.js';
import { adminListOffers, adminWithdrawOffer, createOffer, eraseSubject, getOffer, withdrawOffer } from './offers.js';
import { getPresencePolicy, presenceChallenge, presenceOrigin, setPresencePolicy } from './presence.js';
import { beginSignIn, completeSignIn, customerStatus } from './sign-in.js';

/** Every contract that issuance handles. */
export const issuanceContracts = [
  getClaim,
  beginClaim,
  completeClaim,
  countPasskeys,
  listCredentialTypes,
  createCredentialType,
  updateCredentialType,
  getIssued,
  suspendCredential,
  resumeCredential,
  revokeCredential,
  createOffer,
  getOffer,
  withdrawOffer,
  adminListOffers,
  adminWithdrawOffer,
  eraseSubject,
  presenceChallenge,
  presenceOrigin,
  getPresencePolicy,
  setPresencePolicy,
  beginSignIn,
  completeSignIn,
  customerStatus,
] as const;

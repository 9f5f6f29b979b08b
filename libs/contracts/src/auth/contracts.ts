import { listKeys, platformKeys, rotateKeys } from './auth.js';
import { createHubSession, endHubSession, exchangeHubSession } from './hub.js';
import { useProof } from './proofs.js';
import { issueToken } from './token.js';

/** Every contract that auth handles. */
export const authContracts = [
  platformKeys,
  listKeys,
  rotateKeys,
  createHubSession,
  exchangeHubSession,
  endHubSession,
  useProof,
  issueToken,
] as const;

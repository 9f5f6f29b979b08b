import { listKeys, platformKeys, rotateKeys } from './auth.js';
import { createHubSession, endHubSession, exchangeHubSession } from './hub.js';

/** Every contract that auth handles. */
export const authContracts = [
  platformKeys,
  listKeys,
  rotateKeys,
  createHubSession,
  exchangeHubSession,
  endHubSession,
] as const;

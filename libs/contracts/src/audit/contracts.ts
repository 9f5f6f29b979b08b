import { contractsOf } from '../contract.js';
import * as analytics from './analytics.js';
import * as audit from './audit.js';
import * as entryStream from './entry-stream.js';
import * as exportedEntries from './exported-entries.js';
import * as exports from './exports.js';
import * as proofs from './proofs.js';
import * as signInAttempts from './sign-in-attempts.js';

/** Every contract that audit handles. */
export const auditContracts = contractsOf(
  analytics,
  audit,
  entryStream,
  exportedEntries,
  exports,
  proofs,
  signInAttempts,
);

import { auditContracts } from './audit/contracts.js';
import { authContracts } from './auth/contracts.js';
import type { Contract } from './contract.js';
import { directoryContracts } from './directory/contracts.js';
import { quarantines } from './events/quarantine.js';
import { issuanceContracts } from './issuance/contracts.js';
import { replicaReports } from './replica-report.js';
import { signalsContracts } from './signals/contracts.js';
import { subjectsContracts } from './subjects/contracts.js';

/**
 * Every contract of every service. NATS permissions, database grants and reference pages are generated from this list.
 * registry.spec.ts fails when an exported contract is missing here.
 */
export const contracts: readonly Contract[] = [
  ...directoryContracts,
  ...issuanceContracts,
  ...subjectsContracts,
  ...auditContracts,
  ...authContracts,
  ...signalsContracts,
  ...Object.values(replicaReports),
  ...Object.values(quarantines).flatMap((quarantine) => Object.values(quarantine)),
];

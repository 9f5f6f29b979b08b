import { contractsOf } from '../contract.js';
import * as auditDestinations from './audit-destinations.js';
import * as signals from './signals.js';

/** Every contract that signals handles. */
export const signalsContracts = contractsOf(auditDestinations, signals);

import {
  createAuditDestination,
  deleteAuditDestination,
  getAuditDestination,
  listAuditDestinations,
  pauseAuditDestination,
  rewindAuditDestination,
  rotateDestinationSecret,
  testAuditDestination,
  updateAuditDestination,
} from './audit-destinations.js';
import { listEvents } from './signals.js';

/** Every contract that signals handles. */
export const signalsContracts = [
  listEvents,
  createAuditDestination,
  listAuditDestinations,
  getAuditDestination,
  updateAuditDestination,
  rotateDestinationSecret,
  pauseAuditDestination,
  rewindAuditDestination,
  testAuditDestination,
  deleteAuditDestination,
] as const;

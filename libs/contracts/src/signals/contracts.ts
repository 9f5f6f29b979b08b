import { contractsOf } from '../contract.js';
import * as auditDestinations from './audit-destinations.js';
import * as signals from './signals.js';
import * as ssfAdmin from './ssf-admin.js';
import * as ssf from './ssf.js';
import * as webhookMessages from './webhook-messages.js';
import * as webhooks from './webhooks.js';

/** Every contract that signals handles. */
export const signalsContracts = contractsOf(auditDestinations, signals, ssf, ssfAdmin, webhooks, webhookMessages);

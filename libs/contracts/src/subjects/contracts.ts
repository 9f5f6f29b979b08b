import { contractsOf } from '../contract.js';
import * as subjects from './subjects.js';

/** Every contract that subjects handles. */
export const subjectsContracts = contractsOf(subjects);

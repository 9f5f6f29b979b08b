import { contractsOf } from '../contract.js';
import * as diagnosis from './sign-in-diagnosis.js';
import * as subjects from './subjects.js';

/** Every contract that subjects handles. */
export const subjectsContracts = contractsOf(subjects, diagnosis);

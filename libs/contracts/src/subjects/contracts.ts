import { getSubject, listSubjects } from './subjects.js';

/** Every contract that subjects handles. */
export const subjectsContracts = [listSubjects, getSubject] as const;

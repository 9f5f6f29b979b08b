import { getSubject, listSubjects } from './subjects.js';

/** Every contract that subjects answers. */
export const subjectsContracts = [listSubjects, getSubject] as const;

import { CreateSubject1763700000000 } from './1763700000000-create-subject.js';

export const migrations = [CreateSubject1763700000000];

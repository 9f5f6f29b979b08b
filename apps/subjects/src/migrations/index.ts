import { First1763700000000 } from './1763700000000-first.js';

export const migrations = [First1763700000000];

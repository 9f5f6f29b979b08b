import { CreateDirectory1763700000000 } from './1763700000000-create-directory.js';

export const migrations = [CreateDirectory1763700000000];

import { CreateLog1763700000000 } from './1763700000000-create-log.js';

export const migrations = [CreateLog1763700000000];

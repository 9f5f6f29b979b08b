import { CreateLog1763700000000 } from './1763700000000-create-log.js';
import { CountRefusals1763920000000 } from './1763920000000-count-refusals.js';

export const migrations = [CreateLog1763700000000, CountRefusals1763920000000];

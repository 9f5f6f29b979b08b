import { KeyUse1764710000000 } from '@holdfast/data';
import { CreateLog1763700000000 } from './1763700000000-create-log.js';

export const migrations = [CreateLog1763700000000, KeyUse1764710000000];

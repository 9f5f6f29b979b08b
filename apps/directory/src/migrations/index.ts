import { CreateDirectory1763700000000 } from './1763700000000-create-directory.js';
import { Idempotency1764000000000 } from './1764000000000-idempotency.js';

export const migrations = [CreateDirectory1763700000000, Idempotency1764000000000];

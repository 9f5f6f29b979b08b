import { CreateAuth1763700000000 } from './1763700000000-create-auth.js';

export const migrations = [CreateAuth1763700000000];

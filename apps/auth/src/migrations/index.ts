import { CreateSigningKeys1763700000000 } from './1763700000000-create-signing-keys.js';

export const migrations = [CreateSigningKeys1763700000000];

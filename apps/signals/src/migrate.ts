import { runMigrations } from '@holdfast/data';
import { migrations } from './migrations/index.js';

await runMigrations('signals', migrations);

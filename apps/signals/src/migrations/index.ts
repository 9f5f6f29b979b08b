import { CreateFeed1764000000000 } from './1764000000000-create-feed.js';

export const migrations = [CreateFeed1764000000000];

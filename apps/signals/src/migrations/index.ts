import { OrganizationFences1764900100000 } from '@holdfast/data';
import { CreateFeed1764000000000 } from './1764000000000-create-feed.js';
import { FeedRestores1764900000000 } from './1764900000000-feed-restores.js';

export const migrations = [CreateFeed1764000000000, FeedRestores1764900000000, OrganizationFences1764900100000];

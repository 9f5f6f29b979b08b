import { DeletedOrganizations1768500000100, OrganizationFences1764900100000 } from '@holdfast/data';
import { CreateSubject1763700000000 } from './1763700000000-create-subject.js';

export const migrations = [
  CreateSubject1763700000000,
  OrganizationFences1764900100000,
  DeletedOrganizations1768500000100,
];

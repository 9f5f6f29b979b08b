import { groupEndpoints } from '../directory/groups.http.js';
import type { Forwarded } from './forwarded.js';

/** The endpoints that the gateway serves by one request to a service, by area. */
export const forwardedEndpoints = {
  groups: groupEndpoints,
} satisfies Record<string, Forwarded[]>;

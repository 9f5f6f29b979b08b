import type { RoleOperation } from '@holdfast/contracts';

/**
 * The screens by area, each with the operation without which it is absent: for navigation, overview and the search for
 * screens. The first screen of an area is its entry in the navigation.
 */
export const areas = [
  { text: 'shell.overview', screens: [{ to: '/', text: 'shell.overview', needs: undefined }] },
  { text: 'shell.customers', screens: [{ to: '/customers', text: 'shell.customers', needs: 'issued:read' }] },
  { text: 'shell.apps', screens: [{ to: '/apps', text: 'shell.apps', needs: 'apps:read' }] },
  {
    text: 'shell.people',
    screens: [
      { to: '/people', text: 'shell.people', needs: 'users:read' },
      { to: '/groups', text: 'shell.groups', needs: 'groups:manage' },
      { to: '/access-requests', text: 'shell.accessRequests', needs: 'access_requests:read' },
      { to: '/entitlements', text: 'shell.entitlements', needs: 'entitlements:view' },
    ],
  },
  {
    text: 'shell.signals',
    screens: [
      { to: '/webhooks', text: 'shell.webhooks', needs: 'webhooks:manage' },
      { to: '/shared-signals', text: 'shell.sharedSignals', needs: 'ssf:manage' },
    ],
  },
  {
    text: 'shell.auditLog',
    screens: [
      { to: '/audit-log', text: 'shell.auditLog', needs: 'audit:read' },
      { to: '/checkpoints', text: 'shell.checkpoints', needs: 'audit:read' },
      { to: '/exports', text: 'shell.exports', needs: 'audit:export' },
      { to: '/destinations', text: 'shell.destinations', needs: 'audit:export' },
    ],
  },
  {
    text: 'shell.organization',
    screens: [
      { to: '/organization', text: 'shell.organization', needs: 'organization:manage' },
      { to: '/credential-types', text: 'shell.credentialTypes', needs: 'organization:manage' },
      { to: '/keys', text: 'shell.keys', needs: 'organization:manage' },
      { to: '/presence', text: 'shell.presence', needs: 'organization:manage' },
    ],
  },
  {
    text: 'shell.account',
    screens: [
      { to: '/account', text: 'shell.account', needs: 'account:manage' },
      { to: '/my-access', text: 'shell.myAccess', needs: 'account:manage' },
    ],
  },
] as const satisfies readonly Area[];

interface Area {
  text: string;
  screens: readonly { to: string; text: string; needs: RoleOperation | undefined }[];
}

export type ScreenEntry = (typeof areas)[number]['screens'][number];

/** The screens of each area that a person with these operations has; areas without one are left out. */
export function areasOf(held: readonly RoleOperation[]) {
  return areas
    .map(({ text, screens }) => ({
      text,
      screens: (screens as readonly ScreenEntry[]).filter(({ needs }) => needs === undefined || held.includes(needs)),
    }))
    .filter(({ screens }) => screens.length > 0);
}

import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { entitlementSearchOf, requestSearchOf } from '../access/access-search.ts';
import { hubPath } from '../api/organization.ts';
import { queryClient } from '../api/query-client.ts';
import { logSearchOf } from '../audit-log/log-search.ts';
import { customerSearchOf } from '../customers/customer-search.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { messageSearchOf } from '../webhooks/message-search.ts';
import { NotFound } from './not-found.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/** A screen without filters in its address. */
const screen = <const Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component });

const routes = [
  screen(
    '/',
    lazyRouteComponent(() => import('../overview/overview-screen.tsx'), 'OverviewScreen'),
  ),
  createRoute({
    getParentRoute: () => root,
    path: '/customers',
    validateSearch: customerSearchOf,
    component: lazyRouteComponent(() => import('../customers/customers-screen.tsx'), 'CustomersScreen'),
  }),
  screen(
    '/customers/new',
    lazyRouteComponent(() => import('../customers/new-offer-screen.tsx'), 'NewOfferScreen'),
  ),
  screen(
    '/customers/$subject',
    lazyRouteComponent(() => import('../customers/customer-screen.tsx'), 'CustomerScreen'),
  ),
  screen(
    '/apps',
    lazyRouteComponent(() => import('../apps/apps-screen.tsx'), 'AppsScreen'),
  ),
  screen(
    '/apps/new',
    lazyRouteComponent(() => import('../apps/new-app-screen.tsx'), 'NewAppScreen'),
  ),
  screen(
    '/apps/$clientId',
    lazyRouteComponent(() => import('../apps/app-screen.tsx'), 'AppScreen'),
  ),
  screen(
    '/people',
    lazyRouteComponent(() => import('../people/people-screen.tsx'), 'PeopleScreen'),
  ),
  screen(
    '/people/invite',
    lazyRouteComponent(() => import('../people/invite-screen.tsx'), 'InviteScreen'),
  ),
  screen(
    '/people/$user',
    lazyRouteComponent(() => import('../people/person-screen.tsx'), 'PersonScreen'),
  ),
  screen(
    '/groups',
    lazyRouteComponent(() => import('../groups/groups-screen.tsx'), 'GroupsScreen'),
  ),
  screen(
    '/groups/$group',
    lazyRouteComponent(() => import('../groups/group-screen.tsx'), 'GroupScreen'),
  ),
  createRoute({
    getParentRoute: () => root,
    path: '/access-requests',
    validateSearch: requestSearchOf,
    component: lazyRouteComponent(() => import('../access/access-requests-screen.tsx'), 'AccessRequestsScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/entitlements',
    validateSearch: entitlementSearchOf,
    component: lazyRouteComponent(() => import('../access/entitlements-screen.tsx'), 'EntitlementsScreen'),
  }),
  screen(
    '/webhooks',
    lazyRouteComponent(() => import('../webhooks/webhooks-screen.tsx'), 'WebhooksScreen'),
  ),
  createRoute({
    getParentRoute: () => root,
    path: '/webhooks/$id',
    validateSearch: messageSearchOf,
    component: lazyRouteComponent(() => import('../webhooks/webhook-screen.tsx'), 'WebhookScreen'),
  }),
  screen(
    '/shared-signals',
    lazyRouteComponent(() => import('../shared-signals/shared-signals-screen.tsx'), 'SharedSignalsScreen'),
  ),
  createRoute({
    getParentRoute: () => root,
    path: '/audit-log',
    validateSearch: logSearchOf,
    component: lazyRouteComponent(() => import('../audit-log/audit-log-screen.tsx'), 'AuditLogScreen'),
  }),
  screen(
    '/checkpoints',
    lazyRouteComponent(() => import('../checkpoints/checkpoints-screen.tsx'), 'CheckpointsScreen'),
  ),
  screen(
    '/exports',
    lazyRouteComponent(() => import('../exports/exports-screen.tsx'), 'ExportsScreen'),
  ),
  screen(
    '/destinations',
    lazyRouteComponent(() => import('../exports/destinations-screen.tsx'), 'DestinationsScreen'),
  ),
  screen(
    '/organization',
    lazyRouteComponent(() => import('../organization/organization-screen.tsx'), 'OrganizationScreen'),
  ),
  screen(
    '/credential-types',
    lazyRouteComponent(() => import('../organization/credential-types-screen.tsx'), 'CredentialTypesScreen'),
  ),
  screen(
    '/keys',
    lazyRouteComponent(() => import('../organization/keys-screen.tsx'), 'KeysScreen'),
  ),
  screen(
    '/presence',
    lazyRouteComponent(() => import('../organization/presence-screen.tsx'), 'PresenceScreen'),
  ),
  screen(
    '/account',
    lazyRouteComponent(() => import('../account/account-screen.tsx'), 'AccountScreen'),
  ),
  screen(
    '/my-access',
    lazyRouteComponent(() => import('../access/my-access-screen.tsx'), 'MyAccessScreen'),
  ),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: hubPath,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <ProblemNotice error={error} onRetry={() => retry(reset)} />,
});

/** What could not be read is read again. */
function retry(reset: () => void): void {
  void queryClient.resetQueries({ predicate: ({ state }) => state.status === 'error' });
  reset();
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
